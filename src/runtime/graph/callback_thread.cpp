#include "runtime/graph/callback_thread.h"

#include "runtime/graph/blocked_signals.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

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
      calls_.push_back(std::move(function));
    }
    not_empty_.notify_one();
  }

private:
  [[noreturn]] void run() {
    for (;;) {
      std::function<void()> call;
      {
        std::unique_lock lock(mutex_);
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
};

} // namespace

void call_later(std::function<void()> function) {
  static CallbackThread &thread = *new CallbackThread;
  thread.add(std::move(function));
}

} // namespace lockstep::runtime
