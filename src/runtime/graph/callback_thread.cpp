#include "runtime/graph/callback_thread.h"

#include "runtime/check/protection_keys.h"
#include "runtime/graph/blocked_signals.h"
#include "runtime/graph/host_threads.h"
#include "support/foreign_call.h"
#include "support/fork.h"
#include "support/leaked.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

// Never destroyed and never joined: the thread sleeps until the process is gone, so there is no
// order of destruction to get wrong.
class CallbackThread {
public:
  CallbackThread() {
    BlockedSignals blocked;
    std::thread([this] { run(); }).detach();
  }

  void add(std::function<void()> function) {
    {
      std::lock_guard lock(mutex_);
      count_due_callbacks(1);
      calls_.push_back(std::move(function));
      if (!std::exchange(is_busy_, true))
        count_service_threads(-1); // what a callback may do, any thread of the program may
    }
    not_empty_.notify_one();
  }

private:
  [[noreturn]] void run() {
    ForeignCall::only_exit_ends_this_thread(true);
    const ServiceThread this_one;
    const ThreadRights rights(ThreadRights::Whose::program);
    for (;;) {
      std::function<void()> call;
      {
        std::unique_lock lock(mutex_);
        if (calls_.empty() && std::exchange(is_busy_, false))
          count_service_threads(1);
        not_empty_.wait(lock, [this] { return !calls_.empty(); });
        call = std::move(calls_.front());
        calls_.pop_front();
      }
      call_program(call);
      count_due_callbacks(-1);
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<std::function<void()>> calls_;
  bool is_busy_ = false;
};

thread_local constinit bool is_settling = false;
// Outside of any object: it must be usable while a thread's destructors run.
thread_local constinit std::vector<std::function<void()>> *put_off = nullptr;

const ForkHook reset([] {
  is_settling = false;
  put_off = nullptr;
});

} // namespace

Settling::Settling() {
  is_settling = true;
}

Settling::~Settling() {
  is_settling = false;
  if (!put_off)
    return;
  const std::unique_ptr<std::vector<std::function<void()>>> calls(std::exchange(put_off, nullptr));
  for (auto &call : *calls)
    call_later(std::move(call));
}

void call_when_settled(std::function<void()> function) {
  if (!is_settling)
    return function();
  if (!put_off)
    put_off = new std::vector<std::function<void()>>;
  put_off->push_back(std::move(function));
}

void call_later(std::function<void()> function) {
  leaked<AfterFork::make_again>([] { return new CallbackThread; }).add(std::move(function));
}

} // namespace lockstep::runtime
