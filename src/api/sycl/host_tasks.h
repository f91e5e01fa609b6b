// Threads for host tasks (SYCL 2020, section 4.10). A task may wait for kernels or for another
// task, so it must not occupy a worker thread that these need. Each ready task gets a thread, an
// idle one if possible.
//
// A task becomes ready on a thread that cannot report that no thread can be started. So the
// submission ensures that at least one thread exists, and allocates the memory. A ready task for
// which no further thread can be started waits for an existing one.
#pragma once

#include "runtime/graph/recorded_graph.h"
#include "support/result.h"

#include <functional>
#include <memory>

namespace lockstep::sycl_api {

class HostTask {
public:
  explicit HostTask(std::function<void()> function) : function_(std::move(function)) {}

private:
  friend class HostTasks;
  std::function<void()> function_;
  std::unique_ptr<HostTask> next_;
};

// A task of the program in the command graph: its thread settles `until` at the end.
//
// The thread first releases what the task holds, so a thread that has waited for the task finds
// that released. If releasing waits, perhaps for the task itself, the thread settles `until` before
// (runtime/graph/before_wait.h). Such a thread also releases a task that cannot run, since a thread
// that settles a command must not wait.
class SubmittedTask final : public runtime::RecordedGraph::WorkElsewhere {
public:
  SubmittedTask(std::function<void()> task, runtime::CommandRef until);
  void begin() override;
  void give_up() override;

private:
  class Run;
  Run *run_; // owned by host_task_
  std::unique_ptr<HostTask> host_task_;
};

// Called by each submission. ErrorKind::out_of_resources: no thread runs host tasks, and none can
// be started.
Result<void> start_host_tasks();

void run_as_host_task(std::unique_ptr<HostTask> task) noexcept;

} // namespace lockstep::sycl_api
