#include "runtime/graph/callback_thread.h"

#include "runtime/graph/blocked_signals.h"
#include "runtime/graph/host_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace lockstep::runtime {
namespace {

// Never destroyed and never joined: the thread sleeps until the process is gone, so there is no
// order of destruction to get wrong.
class CallbackThread {
public:
  CallbackThread() {
    BlockedSignals blocked;
    count_service_threads(1);
    std::thread([this] { run(); }).detach();
  }

  void add(std::function<void()> function) {
    {
      std::lock_guard lock(mutex_);
      calls_.push_back(std::move(function));
      if (!std::exchange(is_busy_, true))
        count_service_threads(-1); // what a callback may do, any thread of the program may
    }
    not_empty_.notify_one();
  }

private:
  [[noreturn]] void run() {
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
      call();
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<std::function<void()>> calls_;
  bool is_busy_ = false;
};

} // namespace

void call_later(std::function<void()> function) {
  static CallbackThread &thread = *new CallbackThread;
  thread.add(std::move(function));
}

} // namespace lockstep::runtime
