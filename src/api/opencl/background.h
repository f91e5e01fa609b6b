// Runs builds that have a pfn_notify in the background (OpenCL 3.0 API sections 5.8.4 and 5.8.5).
//
// Each build gets its own thread. A build takes milliseconds to seconds, creating a thread takes
// microseconds. A callback may start or await other builds, so builds that share a thread could
// deadlock. The process does not end while a build runs, because the compiler must not be torn down
// during a build.
#pragma once

#include <functional>

namespace lockstep::opencl {

// Runs `work` in its own thread, or in the calling thread if no thread can be created.
void run_in_background(std::function<void()> work);

} // namespace lockstep::opencl
