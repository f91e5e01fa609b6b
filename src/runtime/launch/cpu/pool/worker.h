// One thread of the pool: its loop, and its interface for operations.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/launch/cpu/kernel/privatized_reductions.h"
#include "runtime/launch/cpu/pool/task_queue.h"
#include "support/result.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::runtime {

struct Progress; // progress.h
class ResumableRun;
class WorkerPool;

class Worker {
public:
  Worker(WorkerPool &pool, unsigned index) : pool_(pool), index_(index) {}
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker();

  unsigned index() const { return index_; }

  // Returns at least `size` bytes for one work-group, aligned to 128, contents undefined. Valid
  // until the next call. The memory is kept, so only a kernel that needs more than all before
  // causes an allocation.
  Result<void *> local_memory(std::size_t size);

  PrivatizedReductions::Memory &copies() { return copies_; }

  static Worker *current(); // null on other threads

private:
  friend class ResumableRun;
  friend class WorkerPool;
  using Runs = std::vector<std::shared_ptr<ResumableRun>>;
  struct Task {
    Command *command = nullptr; // with a reference
    TaskQueue *queue = nullptr;
    bool is_first = false;
  };

  // While such an object exists, the worker keeps the first command that it makes ready and runs it
  // next. No other worker sees a kept command. So the scope must be the last step before the worker
  // returns to next_task().
  class KeepsNext {
  public:
    explicit KeepsNext(Worker &worker) : worker_(worker) { worker_.may_keep_ = true; }
    ~KeepsNext() { worker_.may_keep_ = false; }
    KeepsNext(const KeepsNext &) = delete;
    KeepsNext &operator=(const KeepsNext &) = delete;

  private:
    Worker &worker_;
  };

  [[noreturn]] void thread_main();
  [[noreturn]] void look_when_asked(); // main loop of the pool's looker
  Task next_task();
  Task find_task();
  Task search(); // returns when there is a task
  Task spin();
  void sleep(std::chrono::nanoseconds longest = std::chrono::nanoseconds(-1)); // -1: without limit
  bool any_task();
  void refresh_memberships();
  void set_searching(bool searching);

  bool keep(Command &ready, TaskQueue &queue); // submit() on this thread: run the command next
  void give_up_kept();                         // lets any worker run the kept command
  void give_up_rest(Command &command, TaskQueue &queue);
  void execute(const Task &task);
  void invite(Command &command, TaskQueue &queue, uint64_t helpers, uint64_t nanoseconds_per_part);
  uint64_t run_parts(Command &command, TaskQueue &queue, bool is_first);
  void stop_running();
  static void set_error(Progress &progress, Error error);
  static uint64_t give_up(Progress &progress);

  // ---- launches whose groups wait (worker_waiting.cpp)
  void refresh_runs();
  bool has_runs();
  void begin_run(Command &command, TaskQueue &queue);
  bool serve_runs(uint64_t nanoseconds); // true: progress was made
  bool is_time_to_serve();
  void serve_runs_between_commands();
  void serve_or_rest();
  void call_workers(TaskQueue &queue, unsigned count); // to a launch that admits more of them
  void hand_over_runs();
  void set_quiet(bool quiet);
  static void settle_and_print(Command &command, Result<void> result);
  static void settle(Command &command, Result<void> result);

  WorkerPool &pool_;
  const unsigned index_;
  std::vector<std::shared_ptr<TaskQueue>> queues_; // this thread's copy
  // Empty. It or queues_ has capacity for all queues: WorkerPool::add reserves it, since a worker
  // that runs out of memory could not report that.
  std::vector<std::shared_ptr<TaskQueue>> room_;
  bool is_running_ = false; // guarded by the pool's mutex
  uintptr_t stack_guard_begin_ = 0, stack_guard_end_ = 0;
  uint64_t memberships_version_ = ~uint64_t{0};
  std::size_t next_queue_ = 0; // index of the queue that is searched first
  Task kept_;
  uint32_t kept_in_a_row_ = 0;
  bool may_keep_ = false; // see KeepsNext
  bool searching_ = false;
  void *local_memory_ = nullptr;
  std::size_t local_memory_size_ = 0;
  PrivatizedReductions::Memory copies_;
  uint64_t spin_nanoseconds_ = 0;
  Runs runs_; // this thread's copy
  uint64_t runs_version_ = ~uint64_t{0};
  std::size_t next_run_ = 0; // index of the run that is served first
  uint64_t last_served_ = 0, idle_since_ = 0, rest_nanoseconds_ = 0; // idle_since_ 0: not idle
  uint64_t away_until_ = ~uint64_t{0}; // when a launch next has something to do
  // For Watch: the operation whose parts it runs, and which it has not counted as done yet.
  std::atomic<Operation *> running_{nullptr};
  std::atomic<Progress *> running_progress_{nullptr};
  // For deadlock detection: whether this worker holds no command; how many commands it has taken.
  alignas(64) std::atomic<bool> is_quiet_{false};
  std::atomic<uint64_t> tasks_taken_{0};
  alignas(64) std::atomic<uint32_t> signal_{0}; // futex of a sleeping worker; 1: wake up
};

} // namespace lockstep::runtime
