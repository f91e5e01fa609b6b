// Queries of generic pointers (OpenCL C 6.15.10).
#include "device_lib/lockstep_builtins.h"

// Returns the fence flags for the memory of the pointer. All fences order all memory on a CPU, so
// both flags are correct.
BUILTIN cl_mem_fence_flags get_fence(const generic void *p) {
  return CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE;
}
BUILTIN cl_mem_fence_flags get_fence(generic void *p) {
  return CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE;
}

// The runtime implements this query: it knows where the current thread keeps local memory and stack
// (src/back_ends/cpu/host_functions/address_space_query.h).
PURE int lockstep_address_space_of(const generic void *p);

// clang compiles the keywords to_global, to_local and to_private to calls of these functions.
global void *__to_global(generic void *p) {
  return lockstep_address_space_of(p) == 1 ? (global void *)p : 0;
}
local void *__to_local(generic void *p) {
  return lockstep_address_space_of(p) == 3 ? (local void *)p : 0;
}
private
void *__to_private(generic void *p) {
  return lockstep_address_space_of(p) == 0 ? (private void *)p : 0;
}
