// Threads for host tasks (SYCL 2020, section 4.10). A task may wait for kernels, or for another task, so it must not hold a
// worker that those need: each task that is ready has a thread, an idle one if there is one.
//
// A task gets ready in a thread that cannot report that the system has no thread left. So its submission makes sure that
// there is one, and takes the memory; a ready task for which no further thread can be started waits for one that exists.
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

// A task of the program in the graph of commands: its thread settles `until` at the end.
//
// The thread first gives back what the task holds, so a thread that has waited for the task finds that given back. If that
// waits in turn, perhaps for the task, the thread settles `until` before (runtime/graph/before_wait.h). A task that cannot
// run is given back by such a thread too: a thread that settles a command must not wait.
class SubmittedTask final : public runtime::RecordedGraph::WorkElsewhere {
public:
  SubmittedTask(std::function<void()> task, runtime::CommandRef until);
  void begin() override;
  void give_up() override;

private:
  class Run;
  Run *run_; // of host_task_
  std::unique_ptr<HostTask> host_task_;
};

// By each submission. ErrorKind::out_of_resources: no thread runs host tasks, and the system has none.
Result<void> start_host_tasks();

void run_as_host_task(std::unique_ptr<HostTask> task) noexcept;

} // namespace lockstep::sycl_api
