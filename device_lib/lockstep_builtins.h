// What every file of the device library includes: the primitives of docs/kernel_ir.md and how a
// builtin is declared. The library is compiled without clang's own builtin declarations, so a
// definition here is the only one.
#pragma once

#define BUILTIN __attribute__((overloadable)) // gets the Itanium name that kernels call
#define PURE __attribute__((const))           // same answer for the same work-item, no side effect
#define GROUP_OPERATION __attribute__((convergent)) // all work-items of a group reach it together

PURE ulong __lockstep_local_id(uint dim);
PURE ulong __lockstep_group_id(uint dim);
PURE ulong __lockstep_local_size(uint dim);
PURE ulong __lockstep_enqueued_local_size(uint dim);
PURE ulong __lockstep_global_size(uint dim);
PURE ulong __lockstep_global_offset(uint dim);
PURE ulong __lockstep_num_groups(uint dim);
PURE uint __lockstep_work_dim(void);

// The library is compiled with -fno-convergent-functions: only what says so may not move between
// control flow.
GROUP_OPERATION void __lockstep_barrier(uint flags);
GROUP_OPERATION void __lockstep_group_copy(generic void *destination, const generic void *source,
                                           ulong count, ulong destination_stride,
                                           ulong source_stride, ulong element_size);
