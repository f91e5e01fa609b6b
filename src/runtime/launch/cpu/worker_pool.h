// The process's worker threads. Started with the first command, never joined and never destroyed:
// a process may end while they sleep or run, and there is no order of destruction to get wrong.
#pragma once

#include "runtime/launch/cpu/progress_report.h"
#include "runtime/launch/cpu/running_inspection.h"
#include "runtime/launch/cpu/task_queue.h"
#include "runtime/launch/cpu/topology.h"
#include "runtime/launch/cpu/worker.h"
#include "support/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::runtime {

class WorkerPool {
public:
  static constexpr uint64_t stack_bytes = uint64_t{256} << 20; // address space, not memory
  static constexpr uint64_t stack_reserve = uint64_t{1} << 20; // for our own frames, printf, ...

  static WorkerPool &instance();

  unsigned size() const { return unsigned(placement_.size()); }
  // The CPU that worker w is meant for. Workers are bound to all CPUs that share that CPU's
  // last-level cache rather than to the one: a thread of the program that occupies just this CPU
  // would otherwise hold the worker up while others are idle.
  const std::vector<Cpu> &placement() const { return placement_; }

  Result<void> start(); // fails with out_of_resources if the system gives no threads

  void add(std::shared_ptr<TaskQueue> queue);
  void remove(const std::shared_ptr<TaskQueue> &queue);

  void submit(TaskQueue &queue, Command &ready);

  // No command is listed, and no worker holds one. `tasks_taken`: all that workers ever took; if it
  // and the answer are the same later, nobody ran one in between.
  bool is_quiet(uint64_t &tasks_taken);

  // Has launches that wait looked at by a thread that runs no commands: all workers may be in long
  // ones. Asked again before it has begun, it looks once.
  void look_beside_workers();

  // What workers run at the moment, but for launches whose groups may wait. By one thread at a time,
  // which is no worker. `age` tells for how long, given a worker and how many commands it took.
  std::vector<std::vector<RunningOperation>>
  running(const std::function<uint64_t(unsigned, uint64_t)> &age);

private:
  friend class Worker;
  WorkerPool();
  Result<void> start_threads();
  Result<void> start_thread(Worker &worker);
  void bind(unsigned worker) const;
  void wake(TaskQueue &queue, uint64_t count); // gets up to `count` sleepers of this queue up

  const std::vector<Cpu> placement_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const std::unique_ptr<Worker> looker_; // of no queue; its index follows those of the workers
  std::atomic<bool> is_started_{false};
  std::mutex mutex_;                               // starting, memberships_
  std::vector<std::shared_ptr<TaskQueue>> queues_; // of all devices
  std::atomic<uint64_t> memberships_version_{0};
  // One CPU is left to the program, which may be spinning for our result.
  uint32_t most_spinners_ = 1;
  std::atomic<uint32_t> spinners_{0};
  RunningInspection inspection_;
  std::unique_ptr<std::atomic<uint64_t>[]> sleeping_; // bit mask of workers
};

// Which CPU each of `count` workers is meant for: one per core first, then hardware threads.
std::vector<Cpu> place_workers(const Topology &topology, unsigned count);

} // namespace lockstep::runtime
