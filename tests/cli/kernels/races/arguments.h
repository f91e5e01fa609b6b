// Arguments of this folder's kernels: a buffer of ints and one of flags, all 0. Unless a test says
// otherwise, the local size is 64 of 256. Each file has pairs of a wrong and a correct kernel.
#pragma once

#define ARGUMENTS global int *data, global atomic_uint *flags, local int *tmp
#define ITEM get_local_id(0)
#define LAST (get_local_size(0) - 1)
#define ACQUIRE memory_order_acquire, memory_scope_device
#define RELEASE memory_order_release, memory_scope_device
#define RELAXED memory_order_relaxed, memory_scope_device
#define STORE(how) atomic_store_explicit(&flags[0], 1, how)
#define LOAD(how) atomic_load_explicit(&flags[0], how)
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)
