#include "runtime/threads/background_work.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/start_thread.h"
#include "runtime/threads/host_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace lockstep::runtime {
namespace {

// Never destroyed and never joined, like the callback thread.
class BackgroundThread {
public:
  void add(std::unique_ptr<LaterCall> work) {
    std::lock_guard lock(mutex_);
    if (!is_started_)
      is_started_ = bool(start_thread(
          {"that compiles in the background",
           [](void *self) -> void * { static_cast<BackgroundThread *>(self)->run(); }, this}));
    if (!is_started_)
      return;
    work_.push_back(std::move(work));
    not_empty_.notify_one();
  }

private:
  [[noreturn]] void run() {
    const ServiceThread this_one;
    for (;;) {
      std::unique_ptr<LaterCall> work;
      {
        std::unique_lock lock(mutex_);
        not_empty_.wait(lock, [this] { return !work_.empty(); });
        work = std::move(work_.front());
        work_.pop_front();
      }
      work->call();
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<std::unique_ptr<LaterCall>> work_;
  bool is_started_ = false;
};

} // namespace

void do_in_background(std::unique_ptr<LaterCall> work) {
  leaked<AfterFork::make_again>([] { return new BackgroundThread; }).add(std::move(work));
}

} // namespace lockstep::runtime
