// To which memory does a generic pointer point? (to_global, to_local, to_private: OpenCL
// C 6.15.10.) On a CPU all address spaces are one, so the answer comes from where the thread that
// runs the work-group keeps its local memory and its stack. Device code calls
// lockstep_address_space_of, resolved by ORC.
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

// Where else private variables lie than on the thread's stack: in the frames of a work-group in the
// resumable form. Its local memory may lie inside.
inline thread_local ThreadLocalMemory thread_private_memory;

} // namespace lockstep::compiler

// 0 private, 1 global, 3 local, as the address spaces of kernel IR; -1 for a null pointer.
extern "C" __attribute__((visibility("default"))) int
lockstep_address_space_of(const void *pointer);
