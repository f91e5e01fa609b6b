// The worker threads of the process. They start with the first command, and are never joined and
// never destroyed: the process may end while they sleep or run, so no order of destruction matters.
#pragma once

#include "platform/linux/topology.h"
#include "runtime/launch/cpu/diagnostics/progress_report.h"
#include "runtime/launch/cpu/diagnostics/running_inspection.h"
#include "runtime/launch/cpu/pool/placement.h"
#include "runtime/launch/cpu/pool/task_queue.h"
#include "runtime/launch/cpu/pool/worker.h"
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
  static constexpr uint64_t stack_bytes = uint64_t{256} << 20; // reserved address space, not memory
  // for frames of the runtime, printf, ...
  static constexpr uint64_t stack_reserve = uint64_t{1} << 20;

  static WorkerPool &instance();

  unsigned size() const { return unsigned(placement_.cpus.size()); }
  // placement().cpus[w] is the preferred CPU of worker w. A bound worker may use all CPUs that share
  // that CPU's last-level cache. If it were bound to one CPU, a program thread on that CPU would
  // delay the worker while other CPUs are idle.
  const Placement &placement() const { return placement_; }

  Result<void> start(); // out_of_resources: the system cannot start threads

  void add(std::shared_ptr<TaskQueue> queue);
  void remove(const std::shared_ptr<TaskQueue> &queue);

  void submit(TaskQueue &queue, Command &ready);

  // True if no command is listed and no worker holds one. `tasks_taken` is the number of commands
  // that workers ever took. If two calls return true with the same number, no worker ran a command
  // in between.
  bool is_quiet(uint64_t &tasks_taken);

  // Lets a thread that runs no commands examine waiting launches, because all workers may run long
  // commands. Several calls before it begins cause one examination.
  void look_beside_workers();

  // The operations that workers run now, except launches whose groups may wait. One thread at a
  // time may call it, which must not be a worker. `age` returns the running time of a worker's
  // operation, from the worker and the number of commands that it has taken.
  std::vector<std::vector<RunningOperation>>
  running(const std::function<uint64_t(unsigned, uint64_t)> &age);

private:
  friend class Worker;
  WorkerPool();
  Result<void> start_threads();
  Result<void> start_thread(Worker &worker);
  void bind(unsigned worker) const;
  void wake(TaskQueue &queue, uint64_t count); // wakes up to `count` sleeping workers of this queue

  const Placement placement_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const std::unique_ptr<Worker> looker_; // serves no queue; its index follows those of the workers
  std::atomic<bool> is_started_{false};
  std::mutex mutex_;                               // guards starting and queues_
  std::vector<std::shared_ptr<TaskQueue>> queues_; // queues of all devices
  std::atomic<uint64_t> memberships_version_{0};
  // One CPU is left to the program, which may be spinning for a result.
  uint32_t most_spinners_ = 1;
  std::atomic<uint32_t> spinners_{0};
  RunningInspection inspection_;
  std::unique_ptr<std::atomic<uint64_t>[]> sleeping_; // bit set of sleeping workers
};

} // namespace lockstep::runtime
