// Threads for host tasks (SYCL 2020, section 4.10). A task may wait for kernels, or for another task, so it must not hold a
// worker that those need: each task that is ready has a thread, an idle one if there is one.
#pragma once

#include <functional>

namespace lockstep::sycl_api {

void run_as_host_task(std::function<void()> task);

} // namespace lockstep::sycl_api
