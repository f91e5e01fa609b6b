#include "api/opencl/background.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace lockstep::opencl {
namespace {

class RunningThreads {
public:
  ~RunningThreads() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return count_ == 0; });
  }

  void start(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      ++count_;
    }
    auto run = [this, work = std::move(work)]() mutable {
      work();
      work = nullptr; // gives its references back before the process may end
      std::lock_guard lock(mutex_);
      if (--count_ == 0)
        idle_.notify_all();
    };
    try {
      std::thread(run).detach();
    } catch (const std::exception &) { // no thread, or no memory for one
      run();
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable idle_;
  unsigned count_ = 0;
};

} // namespace

void run_in_background(std::function<void()> work) {
  static RunningThreads threads;
  threads.start(std::move(work));
}

} // namespace lockstep::opencl
