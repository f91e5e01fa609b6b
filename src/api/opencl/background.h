// Threads for builds that were given a pfn_notify (OpenCL 3.0 API sections 5.8.4 and 5.8.5).
//
// One thread a build: builds take milliseconds to seconds, a thread microseconds; and a callback
// may start or await other builds, which a thread shared between builds could deadlock on. The
// process does not end while a build runs, because the compiler must not be torn down under it.
#pragma once

#include <functional>

namespace lockstep::opencl {

// Runs `work` in its own thread, or in this one if the system has no thread left.
void run_in_background(std::function<void()> work);

} // namespace lockstep::opencl
