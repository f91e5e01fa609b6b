// Functions for instructions of SPIR-V that OpenCL C does not have and that need control flow. So a
// block of SPIR-V remains one block of kernel IR. The names are reserved in OpenCL C.
#include "device_lib/lockstep_builtins.h"
#include "device_lib/groups/sub_group_primitives.h"

// ---- OpControlBarrier with a scope of execution that is not a constant ----

enum { scope_sub_group = 3 }; // of SPIR-V

BUILTIN GROUP_OPERATION void __spirv_control_barrier(uint execution, cl_mem_fence_flags flags,
                                                     memory_scope scope) {
  if (execution == scope_sub_group)
    sub_group_barrier(flags, scope);
  else
    work_group_barrier(flags, scope);
}

// ---- OpSubgroupBlockReadINTEL and OpSubgroupBlockWriteINTEL of bytes, and of 2 and 8 bytes; 4 bytes
// are in sub_group_shuffle.cl ----

#define BLOCK(type, suffix)                                                                        \
  static inline SUB_GROUP_FUNCTION type block_element##suffix(const global type *p, uint index) {  \
    return p[index * __lockstep_sub_group_width() + own_lane()];                                   \
  }                                                                                                \
  static inline SUB_GROUP_FUNCTION void set_block_element##suffix(global type *p, uint index,      \
                                                                  type data) {                     \
    p[index * __lockstep_sub_group_width() + own_lane()] = data;                                   \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type intel_sub_group_block_read##suffix(const global type *p) {       \
    return block_element##suffix(p, 0);                                                            \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write##suffix(global type *p, type data) { \
    set_block_element##suffix(p, 0, data);                                                         \
  }                                                                                                \
  VECTOR_BLOCK(type, suffix, 2)                                                                    \
  VECTOR_BLOCK(type, suffix, 4)                                                                    \
  VECTOR_BLOCK(type, suffix, 8)
#define VECTOR_BLOCK(type, suffix, n)                                                              \
  BUILTIN SUB_GROUP_FUNCTION type##n intel_sub_group_block_read##suffix##n(                        \
      const global type *p) {                                                                      \
    type##n block;                                                                                 \
    for (uint i = 0; i != n; ++i)                                                                  \
      block[i] = block_element##suffix(p, i);                                                      \
    return block;                                                                                  \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION void intel_sub_group_block_write##suffix##n(global type *p,           \
                                                                         type##n data) {           \
    for (uint i = 0; i != n; ++i)                                                                  \
      set_block_element##suffix(p, i, data[i]);                                                    \
  }

BLOCK(uchar, _uc)
BLOCK(ushort, _us)
BLOCK(ulong, _ul)
VECTOR_BLOCK(uchar, _uc, 16)
