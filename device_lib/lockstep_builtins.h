// Included by every file of the device library: the primitives of docs/kernel_ir.md, and macros to
// declare builtins. The library is compiled without clang's own builtin declarations, so these are
// the only definitions.
#pragma once

#define BUILTIN __attribute__((overloadable)) // mangled name (Itanium), as kernels call it
#define PURE __attribute__((const))           // depends on the work-item only; no side effects
#define GROUP_OPERATION __attribute__((convergent)) // all work-items of a group reach it together

PURE ulong __lockstep_local_id(uint dim);
PURE ulong __lockstep_group_id(uint dim);
PURE ulong __lockstep_local_size(uint dim);
PURE ulong __lockstep_enqueued_local_size(uint dim);
PURE ulong __lockstep_global_size(uint dim);
PURE ulong __lockstep_global_offset(uint dim);
PURE ulong __lockstep_num_groups(uint dim);
PURE uint __lockstep_work_dim(void);

// The library is compiled with -fno-convergent-functions: only functions with this attribute must
// not move across control flow.
// LOCKSTEP_BARRIER_FOR_DEVICE is combined with CLK_*_MEM_FENCE: the barrier's fences then have
// device scope.
#define LOCKSTEP_BARRIER_FOR_DEVICE 0x80000000u
GROUP_OPERATION void __lockstep_barrier(uint flags);
GROUP_OPERATION void __lockstep_group_copy(generic void *destination, const generic void *source,
                                           ulong count, ulong destination_stride,
                                           ulong source_stride, ulong element_size);
GROUP_OPERATION void __lockstep_group_copy_lines(generic void *destination,
                                                 const generic void *source, ulong line_bytes,
                                                 ulong lines, ulong planes, ulong destination_line,
                                                 ulong destination_plane, ulong source_line,
                                                 ulong source_plane);

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// For definitions that are equal for every type.
#define FOR_EACH_SCALAR_TYPE(macro)                                                                \
  macro(char) macro(uchar) macro(short) macro(ushort) macro(int) macro(uint) macro(long)           \
      macro(ulong) macro(float) macro(double)

#define FOR_EACH_WIDTH(macro, type)                                                                \
  macro(type) macro(type##2) macro(type##3) macro(type##4) macro(type##8) macro(type##16)

#define FOR_EACH_SCALAR_AND_VECTOR_TYPE(macro)                                                     \
  FOR_EACH_WIDTH(macro, char)                                                                      \
  FOR_EACH_WIDTH(macro, uchar)                                                                     \
  FOR_EACH_WIDTH(macro, short)                                                                     \
  FOR_EACH_WIDTH(macro, ushort)                                                                    \
  FOR_EACH_WIDTH(macro, int)                                                                       \
  FOR_EACH_WIDTH(macro, uint)                                                                      \
  FOR_EACH_WIDTH(macro, long)                                                                      \
  FOR_EACH_WIDTH(macro, ulong)                                                                     \
  FOR_EACH_WIDTH(macro, half)                                                                      \
  FOR_EACH_WIDTH(macro, float)                                                                     \
  FOR_EACH_WIDTH(macro, double)
