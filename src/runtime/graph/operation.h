// What a command does, as a record: it can be enqueued now (the operation then lives inside the
// command's node) or be kept by a command buffer and enqueued many times (Command::create_shared).
// An operation is not changed by running it; everything that belongs to one run is in the Command.
//
// Subclasses outside the runtime are welcome: the API derives from KernelLaunch, Copy... to add the
// references that keep its handles alive and to hear of failures (failed()). The operation is
// destroyed before its command's status becomes complete, so whoever has waited for a command finds
// the references given back.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace lockstep::runtime {

class Worker;          // launch/cpu/worker.h
class ResumableLaunch; // launch/cpu/resumable_launch.h
class HostOperation;

class Operation {
public:
  Operation() = default;
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;
  virtual ~Operation() = default;

  // Called at most once per run, by the thread that settles the command, before the command's
  // status changes, with no lock held. Also called when the operation was not run because a
  // dependency failed (status dependency_failed, kind ErrorKind::invalid_argument).
  virtual void failed(const Error &) {}

  virtual HostOperation *host() { return nullptr; } // a dynamic_cast that costs nothing
};

// Work for CPU threads: `parts()` independent parts, each run exactly once, in ascending order of
// hand-out, by any number of threads at the same time. A kernel launch has one part per work-group,
// a big copy one per block.
class HostOperation : public Operation {
public:
  HostOperation *host() final { return this; }

  virtual uint64_t parts() const = 0; // 0: nothing to do; the command completes without run()

  // Runs parts first..last-1. After an error no further parts are handed out and the command fails
  // with the first error. `worker` is null for operations that run in place.
  virtual Result<void> run(uint64_t first, uint64_t last, Worker *worker) = 0;

  // True: so short that handing it to another thread costs more than doing it. It is then run, all
  // parts at once, by the thread that finds it ready: the one that enqueues it or that completes
  // its last dependency. Such an operation must not block and must not need a Worker.
  virtual bool runs_in_place() const { return false; }

  // What one part is expected to cost, so that short work is not spread over threads that must
  // first be woken. 0: not known; then it is spread. `measured` is told by each thread how long its
  // parts took.
  virtual uint64_t expected_nanoseconds_per_part() const { return 0; }
  virtual void measured(uint64_t /*parts*/, uint64_t /*nanoseconds*/) {}

  // Not null: parts may wait for each other and for other commands. Then run() is not called; the
  // device runs each part a piece at a time, as this says.
  virtual const ResumableLaunch *resumable() const { return nullptr; }
};

enum class TaskPlace { worker, in_place };

// A callable `Result<void>()` or `void()` as an operation: native kernels, host tasks
// (TaskPlace::worker; it may block, but then holds a worker), bookkeeping of map and unmap
// (TaskPlace::in_place).
template <class Function> class Task : public HostOperation {
public:
  Task(TaskPlace place, Function function) : function_(std::move(function)), place_(place) {}

  uint64_t parts() const override { return 1; }
  bool runs_in_place() const override { return place_ == TaskPlace::in_place; }
  Result<void> run(uint64_t, uint64_t, Worker *) override {
    if constexpr (std::is_void_v<std::invoke_result_t<Function &>>) {
      function_();
      return {};
    } else {
      return function_();
    }
  }

private:
  Function function_;
  TaskPlace place_;
};

} // namespace lockstep::runtime
