// Questions about generic pointers (OpenCL C 6.15.10).
#include "lockstep_builtins.h"

// The fence that orders accesses through the pointer. All fences order all memory on a CPU, so both
// flags are right.
BUILTIN cl_mem_fence_flags get_fence(const generic void *p) {
  return CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE;
}
BUILTIN cl_mem_fence_flags get_fence(generic void *p) {
  return CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE;
}
