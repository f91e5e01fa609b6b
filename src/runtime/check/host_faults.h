// Which function is asked of a memory fault before it counts as one, on any thread: memory that the program should not touch
// (closed_memory.h).
#pragma once

#include <atomic>

namespace lockstep::runtime {

struct HostFault {
  void *address;
  bool writes;
  bool by_key;         // the thread had no right, though others may (protection_keys.h)
  bool in_kernel;      // the code is a kernel's
  const void *machine; // the registers, as the handler is given them
};

// True: the access can be made now. Async-signal-safe.
using FaultMending = bool (*)(const HostFault &fault);
inline constinit std::atomic<FaultMending> asked_first_at_faults{nullptr}; // null: no function

} // namespace lockstep::runtime
