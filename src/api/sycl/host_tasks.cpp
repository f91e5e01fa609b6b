#include "api/sycl/host_tasks.h"

#include "runtime/check/protection_keys.h"
#include "runtime/graph/blocked_signals.h"
#include "runtime/graph/host_threads.h"
#include "support/foreign_call.h"
#include "support/fork.h"
#include "support/leaked.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace lockstep::sycl_api {
namespace {

// Never destroyed and never joined, as the callback thread: there is no order of destruction to get wrong.
class HostTasks {
public:
  void run(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    // What a task may do, any thread of the program may: a thread that has one is no service thread.
    if (tasks_.size() > idle_) {
      const runtime::BlockedSignals blocked;
      std::thread([this] { work(); }).detach();
      ++idle_;
    }
    not_empty_.notify_one();
  }

private:
  [[noreturn]] void work() {
    ForeignCall::only_exit_ends_this_thread(true);
    const runtime::ServiceThread this_one;
    const runtime::ThreadRights rights(runtime::ThreadRights::Whose::program);
    std::unique_lock lock(mutex_);
    for (;;) {
      not_empty_.wait(lock, [this] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      --idle_;
      runtime::count_service_threads(-1);
      lock.unlock();
      call_program(task);
      task = nullptr; // what it holds may wait too
      lock.lock();
      runtime::count_service_threads(1);
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<std::function<void()>> tasks_;
  std::size_t idle_ = 0; // threads that wait for a task, or are about to
};

} // namespace

void run_as_host_task(std::function<void()> task) {
  leaked<AfterFork::make_again>([] { return new HostTasks; }).run(std::move(task));
}

} // namespace lockstep::sycl_api
