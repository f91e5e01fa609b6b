// Builtins that clang's tables do not declare. Appended to clang's opencl-c-base.h, which every
// program includes first; so nothing but builtins may be left visible.

// Features that clang does not know by name. Those of cl_ext_float_atomics need the atomic types of
// OpenCL C 2.0.
#define __opencl_c_ext_fp16_global_atomic_add 1
#define __opencl_c_ext_fp16_global_atomic_load_store 1
#define __opencl_c_ext_fp16_global_atomic_min_max 1
#define __opencl_c_ext_fp16_local_atomic_add 1
#define __opencl_c_ext_fp16_local_atomic_load_store 1
#define __opencl_c_ext_fp16_local_atomic_min_max 1
#define __opencl_c_ext_fp32_global_atomic_add 1
#define __opencl_c_ext_fp32_global_atomic_min_max 1
#define __opencl_c_ext_fp32_local_atomic_add 1
#define __opencl_c_ext_fp32_local_atomic_min_max 1
#define __opencl_c_ext_fp64_global_atomic_add 1
#define __opencl_c_ext_fp64_global_atomic_min_max 1
#define __opencl_c_ext_fp64_local_atomic_add 1
#define __opencl_c_ext_fp64_local_atomic_min_max 1
#define __opencl_c_integer_dot_product_input_4x8bit 1
#define __opencl_c_integer_dot_product_input_4x8bit_packed 1
#define __opencl_c_kernel_clock_scope_device 1
#define __opencl_c_kernel_clock_scope_work_group 1
#define __opencl_c_kernel_clock_scope_sub_group 1
#if !defined(__OPENCL_CPP_VERSION__) && __OPENCL_C_VERSION__ < 200
#undef cl_ext_float_atomics
#endif

#if defined(cl_khr_fp16)
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

#define __lockstep_collective __attribute__((overloadable, convergent))

// ---- what clang declares from a later version on

#if !defined(__OPENCL_CPP_VERSION__) && __OPENCL_C_VERSION__ < 200
uint __attribute__((overloadable)) get_enqueued_num_sub_groups(void);
#define CLK_sRGB 0x10BF
#define CLK_sRGBx 0x10C0
#define CLK_sRGBA 0x10C1
#define CLK_sBGRA 0x10C2
#endif
#if !defined(__OPENCL_CPP_VERSION__) && __OPENCL_C_VERSION__ < 120
uint __attribute__((overloadable)) get_sub_group_size(void);
uint __attribute__((overloadable)) get_max_sub_group_size(void);
uint __attribute__((overloadable)) get_num_sub_groups(void);
uint __attribute__((overloadable)) get_sub_group_id(void);
uint __attribute__((overloadable)) get_sub_group_local_id(void);
void __lockstep_collective sub_group_barrier(cl_mem_fence_flags);
int __lockstep_collective sub_group_all(int);
int __lockstep_collective sub_group_any(int);
#define __lockstep_combination(type, operation)                                                    \
  type __lockstep_collective sub_group_reduce_##operation(type);                                   \
  type __lockstep_collective sub_group_scan_inclusive_##operation(type);                           \
  type __lockstep_collective sub_group_scan_exclusive_##operation(type);
#define __lockstep_combinations(type)                                                              \
  __lockstep_combination(type, add) __lockstep_combination(type, min)                              \
      __lockstep_combination(type, max)
// A declaration hides those that clang has of the same name, so all types are here.
#define __lockstep_broadcast(type) type __lockstep_collective sub_group_broadcast(type, uint);
#define __lockstep_broadcasts(type)                                                                \
  __lockstep_broadcast(type) __lockstep_broadcast(type##2) __lockstep_broadcast(type##3)           \
      __lockstep_broadcast(type##4) __lockstep_broadcast(type##8) __lockstep_broadcast(type##16)
__lockstep_broadcasts(char) __lockstep_broadcasts(uchar) __lockstep_broadcasts(short)
    __lockstep_broadcasts(ushort) __lockstep_broadcasts(int) __lockstep_broadcasts(uint)
        __lockstep_broadcasts(long) __lockstep_broadcasts(ulong) __lockstep_broadcasts(float)
#if defined(cl_khr_fp64)
            __lockstep_broadcasts(double)
#endif
#if defined(cl_khr_fp16)
                __lockstep_broadcasts(half)
#endif
__lockstep_combinations(int) __lockstep_combinations(uint) __lockstep_combinations(long)
    __lockstep_combinations(ulong) __lockstep_combinations(float)
#if defined(cl_khr_fp64)
        __lockstep_combinations(double)
#endif
#if defined(cl_khr_fp16)
            __lockstep_combinations(half)
#endif
#undef __lockstep_broadcasts
#undef __lockstep_broadcast
#undef __lockstep_combinations
#undef __lockstep_combination
#endif

// ---- cl_khr_async_work_group_copy_fence, cl_khr_extended_async_copies

void __lockstep_collective async_work_group_copy_fence(cl_mem_fence_flags);

#define __lockstep_copies(destination, source)                                                     \
  event_t __lockstep_collective async_work_group_copy_2D2D(destination void *, size_t,             \
                                                           const source void *, size_t, size_t,    \
                                                           size_t, size_t, size_t, size_t,         \
                                                           event_t);                               \
  event_t __lockstep_collective async_work_group_copy_3D3D(                                        \
      destination void *, size_t, const source void *, size_t, size_t, size_t, size_t, size_t,     \
      size_t, size_t, size_t, size_t, event_t);
__lockstep_copies(__local, __global) __lockstep_copies(__global, __local)
#undef __lockstep_copies

// ---- cl_khr_work_group_uniform_arithmetic

#define __lockstep_combination(type, operation)                                                    \
  type __lockstep_collective work_group_reduce_##operation(type);                                  \
  type __lockstep_collective work_group_scan_inclusive_##operation(type);                          \
  type __lockstep_collective work_group_scan_exclusive_##operation(type);
#define __lockstep_combinations(type)                                                              \
  __lockstep_combination(type, mul) __lockstep_combination(type, and)                              \
      __lockstep_combination(type, or) __lockstep_combination(type, xor)
__lockstep_combinations(int) __lockstep_combinations(uint) __lockstep_combinations(long)
    __lockstep_combinations(ulong) __lockstep_combination(float, mul)
#if defined(cl_khr_fp64)
        __lockstep_combination(double, mul)
#endif
#if defined(cl_khr_fp16)
        __lockstep_combination(half, mul)
#endif
            __lockstep_combination(int, logical_and) __lockstep_combination(int, logical_or)
                __lockstep_combination(int, logical_xor)
#undef __lockstep_combinations
#undef __lockstep_combination

// ---- cl_intel_subgroups

#define __lockstep_shuffles(type)                                                                  \
  type __lockstep_collective intel_sub_group_shuffle(type, uint);                                  \
  type __lockstep_collective intel_sub_group_shuffle_down(type, type, uint);                       \
  type __lockstep_collective intel_sub_group_shuffle_up(type, type, uint);                         \
  type __lockstep_collective intel_sub_group_shuffle_xor(type, uint);
#define __lockstep_vector_shuffles(type)                                                           \
  __lockstep_shuffles(type) __lockstep_shuffles(type##2) __lockstep_shuffles(type##3)              \
      __lockstep_shuffles(type##4) __lockstep_shuffles(type##8) __lockstep_shuffles(type##16)
                    __lockstep_vector_shuffles(int) __lockstep_vector_shuffles(uint)
                        __lockstep_vector_shuffles(float) __lockstep_shuffles(long)
                            __lockstep_shuffles(ulong)
#if defined(cl_khr_fp64)
                                __lockstep_shuffles(double)
#endif
#if defined(cl_khr_fp16)
                                __lockstep_shuffles(half)
#endif
#undef __lockstep_vector_shuffles
#undef __lockstep_shuffles

#define __lockstep_block_access(width)                                                             \
  uint##width __lockstep_collective intel_sub_group_block_read##width(const __global uint *);      \
  void __lockstep_collective intel_sub_group_block_write##width(__global uint *, uint##width);
                                    __lockstep_block_access() __lockstep_block_access(2)
                                        __lockstep_block_access(4) __lockstep_block_access(8)
#undef __lockstep_block_access
#define __lockstep_block_read(access, width)                                                       \
  uint##width __lockstep_collective intel_sub_group_block_read##width(access image2d_t, int2);
#define __lockstep_block_write(access, width)                                                      \
  void __lockstep_collective intel_sub_group_block_write##width(access image2d_t, int2,            \
                                                                uint##width);
#define __lockstep_each_width(macro, access)                                                       \
  macro(access, ) macro(access, 2) macro(access, 4) macro(access, 8)
#if defined(__IMAGE_SUPPORT__)
__lockstep_each_width(__lockstep_block_read, read_only)
__lockstep_each_width(__lockstep_block_write, write_only)
#endif
#if defined(__opencl_c_read_write_images)
__lockstep_each_width(__lockstep_block_read, read_write)
__lockstep_each_width(__lockstep_block_write, read_write)
#endif
#undef __lockstep_block_read
#undef __lockstep_block_write
#undef __lockstep_each_width

#undef __lockstep_collective

// ---- device-side enqueue

#if defined(__opencl_c_device_enqueue) && defined(CLK_NULL_EVENT)
// clang fails over its own macros: they are numbers in types without constants.
#undef CLK_NULL_EVENT
#define CLK_NULL_EVENT __lockstep_null_event()
clk_event_t __attribute__((const)) __lockstep_null_event(void);
#undef CLK_NULL_QUEUE
#define CLK_NULL_QUEUE __lockstep_null_queue()
queue_t __attribute__((const)) __lockstep_null_queue(void);
#endif

// A program enables itself what it uses.
#pragma OPENCL EXTENSION all : disable
