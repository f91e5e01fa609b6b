// Who is asked of a memory fault before it counts as one, on any thread: the views of buffers that the program may touch
// (host_views.h).
#pragma once

#include <atomic>

namespace lockstep::runtime {

struct HostFault {
  void *address;
  bool writes;
  const void *code; // whose access it is
  bool by_key;      // the thread had no right, though others may (protection_keys.h)
};

// True: the access can be made now.
using FaultMending = bool (*)(const HostFault &fault);
inline constinit std::atomic<FaultMending> asked_first_at_faults{nullptr}; // null: nobody

} // namespace lockstep::runtime
