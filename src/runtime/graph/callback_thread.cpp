#include "runtime/graph/callback_thread.h"

#include "runtime/check/protection_keys.h"
#include "runtime/graph/host_threads.h"
#include "runtime/graph/start_thread.h"
#include "support/foreign_call.h"
#include "support/fork.h"
#include "support/leaked.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

namespace lockstep::runtime {

// First in, first out.
class LaterCalls {
public:
  bool empty() const { return !first_; }
  void push(std::unique_ptr<LaterCall> call) {
    LaterCall *const last = call.release();
    last->next_ = nullptr;
    (last_ ? last_->next_ : first_) = last;
    last_ = last;
  }
  std::unique_ptr<LaterCall> pop() {
    std::unique_ptr<LaterCall> call(first_);
    if (!(first_ = call->next_))
      last_ = nullptr;
    return call;
  }

private:
  LaterCall *first_ = nullptr, *last_ = nullptr;
};

namespace {

// Never destroyed and never joined: the thread sleeps until the process is gone, so there is no
// order of destruction to get wrong.
class CallbackThread {
public:
  Result<void> start() {
    std::lock_guard lock(mutex_);
    return start_locked();
  }

  void add(std::unique_ptr<LaterCall> call) noexcept {
    std::lock_guard lock(mutex_);
    count_due_callbacks(1);
    calls_.push(std::move(call));
    if (is_started_)
      get_busy();
    else
      start_for_calls();
    not_empty_.notify_one();
  }

private:
  Result<void> start_locked() {
    if (is_started_)
      return {};
    LOCKSTEP_TRY(start_thread(
        {"for callbacks", [](void *self) -> void * { static_cast<CallbackThread *>(self)->run(); },
         this}));
    is_started_ = true;
    if (!calls_.empty())
      get_busy();
    return {};
  }

  void get_busy() {
    if (!std::exchange(is_busy_, true))
      count_service_threads(-1); // what a callback may do, any thread of the program may
  }

  // Where nothing was registered, as in a call that only gives memory back. The calls wait if it fails.
  void start_for_calls() noexcept {
    try {
      (void)bool(start_locked());
    } catch (const std::bad_alloc &) { // for the sentence
    }
  }

  [[noreturn]] void run() {
    ForeignCall::only_exit_ends_this_thread(true);
    const ServiceThread this_one;
    const ThreadRights rights(ThreadRights::Whose::program);
    for (;;) {
      std::unique_ptr<LaterCall> call;
      {
        std::unique_lock lock(mutex_);
        if (calls_.empty() && std::exchange(is_busy_, false))
          count_service_threads(1);
        not_empty_.wait(lock, [this] { return !calls_.empty(); });
        call = calls_.pop();
      }
      call_program([&] { call->call(); });
      call = nullptr;
      count_due_callbacks(-1);
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  LaterCalls calls_;
  bool is_started_ = false, is_busy_ = false;
};

CallbackThread &callback_thread() { // made by the first registration
  return leaked<AfterFork::make_again>([] { return new CallbackThread; });
}

thread_local constinit unsigned settling = 0; // how deep
// Trivial, since it must be usable while a thread's destructors run.
thread_local constinit LaterCalls put_off;

const ForkHook reset([] {
  settling = 0;
  put_off = LaterCalls();
});

} // namespace

void Settling::begin() {
  ++settling;
}

void Settling::end() {
  if (--settling == 0)
    while (!put_off.empty())
      call_later(put_off.pop());
}

bool defers_callbacks() {
  return settling != 0;
}

void call_when_settled(std::unique_ptr<LaterCall> call) {
  if (!defers_callbacks())
    return call->call();
  put_off.push(std::move(call));
}

Result<void> start_callback_thread() {
  return callback_thread().start();
}

void call_later(std::unique_ptr<LaterCall> call) noexcept {
  callback_thread().add(std::move(call));
}

} // namespace lockstep::runtime
