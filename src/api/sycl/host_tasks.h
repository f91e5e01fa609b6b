// Threads for host tasks (SYCL 2020, section 4.10). A task may wait for kernels, or for another task, so it must not hold a
// worker that those need: each task that is ready has a thread, an idle one if there is one.
//
// A task gets ready in a thread that cannot report that the system has no thread left. So its submission makes sure that
// there is one, and takes the memory; a ready task for which no further thread can be started waits for one that exists.
#pragma once

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

// By each submission. ErrorKind::out_of_resources: no thread runs host tasks, and the system has none.
Result<void> start_host_tasks();

void run_as_host_task(std::unique_ptr<HostTask> task) noexcept;

} // namespace lockstep::sycl_api
