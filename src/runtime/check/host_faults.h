// Who is asked of a memory fault before it counts as one, on any thread: the views of buffers that the program may touch
// (host_views.h).
#pragma once

#include <atomic>

namespace lockstep::runtime {

// True: the access can be made now. `code`: of whom it is.
using FaultMending = bool (*)(void *address, bool writes, const void *code);
inline constinit std::atomic<FaultMending> asked_first_at_faults{nullptr}; // null: nobody

} // namespace lockstep::runtime
