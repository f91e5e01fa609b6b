#include "runtime/threads/callback_thread.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "platform/linux/start_thread.h"
#include "runtime/threads/host_threads.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <utility>

namespace lockstep::runtime {

// First in, first out. A linked list, so that it allocates nothing.
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

// Never destroyed and never joined: the thread sleeps until the process ends, so no order of
// destruction matters.
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
      count_service_threads(-1); // a callback may do whatever any thread of the program may do
  }

  // Starts the thread if no registration did, as in a call that only releases memory. If that
  // fails, the calls wait.
  void start_for_calls() noexcept {
    try {
      (void)bool(start_locked());
    } catch (const std::bad_alloc &) { // from allocating the error text
    }
  }

  [[noreturn]] void run() {
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

CallbackThread &callback_thread() { // created by the first registration
  return leaked<AfterFork::make_again>([] { return new CallbackThread; });
}

thread_local constinit unsigned settling = 0; // depth of nesting
// Trivial type, so that it stays usable while a thread's destructors run.
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
