// Finds the address space of a generic pointer (to_global, to_local, to_private: OpenCL C 6.15.10).
// On a CPU all address spaces share one range of addresses. The result is found by comparing with
// the local memory and the stack of the thread that runs the work-group. Device code calls
// lockstep_address_space_of, which ORC resolves.
#pragma once

#include <cstddef>

namespace lockstep::compiler {

// Local memory of the work-groups that this thread runs; the launch sets it before the first of
// them.
struct ThreadLocalMemory {
  const void *begin = nullptr;
  size_t size = 0;
};
inline thread_local ThreadLocalMemory thread_local_memory;

// Private variables that are not on the thread's stack: the frames of a work-group in the coroutine
// form. The group's local memory may be inside this range.
inline thread_local ThreadLocalMemory thread_private_memory;

} // namespace lockstep::compiler

// 0 private, 1 global, 3 local, as the address spaces of kernel IR; -1 for a null pointer.
extern "C" __attribute__((visibility("default"))) int
lockstep_address_space_of(const void *pointer);
