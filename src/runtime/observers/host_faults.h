// The hook that handles memory faults first, on any thread: for memory that the program must not
// access (check/host/closed_memory.h).
#pragma once

#include <atomic>

namespace lockstep::runtime {

struct HostFault {
  void *address;
  bool writes;
  bool by_key;         // the thread lacked the right; others may have it (protection_keys.h)
  bool in_kernel;      // the code is a kernel's
  const void *machine; // the registers, as passed to the handler
};

// Returns true if the access can be repeated now. Async-signal-safe.
using FaultRepair = bool (*)(const HostFault &fault);
inline constinit std::atomic<FaultRepair> fault_repair_hook{nullptr}; // null: no hook

} // namespace lockstep::runtime
