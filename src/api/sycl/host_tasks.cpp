#include "api/sycl/host_tasks.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "platform/linux/protection_keys.h"
#include "platform/linux/start_thread.h"
#include "runtime/graph/before_wait.h"
#include "runtime/threads/host_threads.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace lockstep::sycl_api {

// Never destroyed and never joined, like the callback thread, so there is no destruction order to
// get wrong.
class HostTasks {
public:
  Result<void> start() {
    std::lock_guard lock(mutex_);
    return threads_ ? Result<void>() : start_one();
  }

  void run(std::unique_ptr<HostTask> task) noexcept {
    std::lock_guard lock(mutex_);
    *end_ = std::move(task);
    end_ = &(*end_)->next_;
    runtime::add_program_call();
    if (++waiting_ > idle_)
      try {
        (void)bool(start_one());         // on failure, an existing thread takes the task later
      } catch (const std::bad_alloc &) { // no memory for the error message
      }
    not_empty_.notify_one();
  }

private:
  Result<void> start_one() {
    LOCKSTEP_TRY(runtime::start_thread(
        {"for host tasks", [](void *self) -> void * { static_cast<HostTasks *>(self)->work(); },
         this}));
    ++threads_;
    ++idle_;
    return {};
  }

  std::unique_ptr<HostTask> take() {
    std::unique_ptr<HostTask> task = std::move(first_);
    if (!(first_ = std::move(task->next_)))
      end_ = &first_;
    --waiting_;
    return task;
  }

  [[noreturn]] void work() {
    runtime::ServiceThread this_one;
    const runtime::ThreadRights rights(runtime::ThreadRights::Whose::program);
    std::unique_lock lock(mutex_);
    for (;;) {
      not_empty_.wait(lock, [this] { return first_ != nullptr; });
      std::unique_ptr<HostTask> task = take();
      --idle_;
      lock.unlock();
      {
        const runtime::ProgramCall call(this_one);
        call_program(task->function_);
        task = nullptr; // releasing what the task holds may wait, too
      }
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::unique_ptr<HostTask> first_, *end_ = &first_;
  std::size_t waiting_ = 0;            // tasks
  std::size_t threads_ = 0, idle_ = 0; // idle: waiting for a task, or about to
};

namespace {

HostTasks &host_tasks() {
  return leaked<AfterFork::make_again>([] { return new HostTasks; });
}

} // namespace

Result<void> start_host_tasks() {
  return host_tasks().start();
}

void run_as_host_task(std::unique_ptr<HostTask> task) noexcept {
  host_tasks().run(std::move(task));
}

class SubmittedTask::Run {
public:
  Run(std::function<void()> task, runtime::CommandRef until)
      : task_(std::move(task)), until_(std::move(until)), counts_(std::in_place) {}

  void give_up() { is_given_up_ = true; }
  void operator()() {
    if (!is_given_up_)
      task_();
    {
      const runtime::BeforeWait ends([this] { end(); });
      task_ = nullptr;
    }
    end();
  }

private:
  void end() {
    counts_.reset();
    until_->set_user_status(runtime::status::complete); // a second call has no effect
  }

  std::function<void()> task_;
  const runtime::CommandRef until_;
  std::optional<runtime::CountsHostCode> counts_;
  bool is_given_up_ = false;
};

SubmittedTask::SubmittedTask(std::function<void()> task, runtime::CommandRef until) {
  auto run = std::make_shared<Run>(std::move(task), std::move(until));
  run_ = run.get();
  host_task_ = std::make_unique<HostTask>([run = std::move(run)] { (*run)(); });
}

void SubmittedTask::begin() {
  run_as_host_task(std::move(host_task_));
}

void SubmittedTask::give_up() {
  run_->give_up();
  run_as_host_task(std::move(host_task_));
}

} // namespace lockstep::sycl_api
