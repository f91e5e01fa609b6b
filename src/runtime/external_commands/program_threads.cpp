#include "runtime/external_commands/program_threads.h"

#include "platform/linux/blocked_signals.h"
#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "runtime/threads/host_threads.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>

namespace lockstep::runtime {
namespace {

// Never destroyed and never joined, like the callback thread.
class ProgramThreads {
public:
  bool run(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    if (tasks_.size() >= idle_ && !start_one())
      return false;
    tasks_.push_back(std::move(task));
    add_program_call();
    not_empty_.notify_one();
    return true;
  }

private:
  bool start_one() {
    const BlockedSignals blocked;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int error = pthread_create(
        &thread, &attributes,
        [](void *self) -> void * { static_cast<ProgramThreads *>(self)->work(); }, this);
    pthread_attr_destroy(&attributes);
    idle_ += error == 0;
    return error == 0;
  }

  [[noreturn]] void work() {
    ServiceThread this_one;
    const ThreadRights rights(ThreadRights::Whose::program);
    std::unique_lock lock(mutex_);
    for (;;) {
      not_empty_.wait(lock, [this] { return !tasks_.empty(); });
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      --idle_;
      lock.unlock();
      {
        const ProgramCall call(this_one);
        call_program(task);
        task = nullptr;
      }
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::deque<std::function<void()>> tasks_;
  std::size_t idle_ = 0; // threads that wait for a task or will do so soon
};

} // namespace

bool run_on_program_thread(std::function<void()> task) {
  return leaked<AfterFork::make_again>([] { return new ProgramThreads; }).run(std::move(task));
}

} // namespace lockstep::runtime
