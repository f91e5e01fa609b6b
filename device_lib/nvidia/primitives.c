// The primitives of kernel IR (docs/kernel_ir.md) for NVIDIA GPUs. Compiled for nvptx64 by the
// build, and linked by the pass lower-gpu-primitives, which inlines all of it.
//
// A sub-group is a warp: 32 work-items with consecutive linear local ids. Sub-group operations have
// two forms. `name` is for calls that all work-items of the sub-group reach together.
// `name_here` is for calls in divergent control flow, where some of them may not come. Barriers and
// collectives of the group have these forms as well: all work-items come, perhaps one by one.
#include "device_lib/nvidia/machine.h"
#include "device_lib/nvidia/printf_records.h"

enum { warp = 32 };
extern const u32 lockstep_nvidia_architecture; // 90 for sm_90; lower-gpu-primitives defines it

// ---- ids and sizes of a launch without offset, whose groups have one size

#define BY_DIMENSION(name, x, y, z)                                                                \
  INLINE u64 __lockstep_##name(u32 dimension) {                                                    \
    return dimension == 0 ? x : dimension == 1 ? y : z;                                            \
  }
BY_DIMENSION(local_id, SREG(tid_x), SREG(tid_y), SREG(tid_z))
BY_DIMENSION(group_id, SREG(ctaid_x), SREG(ctaid_y), SREG(ctaid_z))
BY_DIMENSION(num_groups, SREG(nctaid_x), SREG(nctaid_y), SREG(nctaid_z))
BY_DIMENSION(local_size, SREG(ntid_x), SREG(ntid_y), SREG(ntid_z))
INLINE u64 __lockstep_enqueued_local_size(u32 dimension) {
  return __lockstep_local_size(dimension);
}
INLINE u64 __lockstep_global_size(u32 dimension) {
  return __lockstep_num_groups(dimension) * __lockstep_local_size(dimension);
}
INLINE u64 __lockstep_global_offset(u32 dimension) {
  return 0;
}

// ---- ids of groups by their number, in persistent code

INLINE u64 lockstep_nvidia_group_id(u32 number, u32 dimension, u64 x, u64 y) {
  const u32 count_x = (u32)x, count_y = (u32)y;
  return dimension == 0   ? number % count_x
         : dimension == 1 ? number / count_x % count_y
                          : number / count_x / count_y;
}

// ---- barriers

CONVERGENT static void meet(void) {
  __syncthreads();
}
CONVERGENT static void meet_here(void) {
  __nvvm_barrier_sync(0); // not .aligned
}
#define BARRIER(name, meet)                                                                        \
  CONVERGENT void name(u32 flags) {                                                                \
    if (flags & 0x80000000u) /* LOCKSTEP_BARRIER_FOR_DEVICE */                                     \
      __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);                       \
    meet();                                                                                        \
    if (flags & 0x80000000u)                                                                       \
      __scoped_atomic_thread_fence(__ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);                       \
  }
BARRIER(__lockstep_barrier, meet)
BARRIER(__lockstep_barrier_here, meet_here)

// ---- sub-groups

INLINE u64 __lockstep_lane(void) {
  return item() % warp;
}
INLINE u32 __lockstep_sub_group_id(void) {
  return item() / warp;
}
INLINE u32 __lockstep_sub_group_width(void) {
  return warp;
}
INLINE u64 __lockstep_active_lanes(void) {
  if (items() % warp == 0)
    return warp;
  const u32 left = items() - item() / warp * warp;
  return left < warp ? left : warp;
}
INLINE static u32 members(void) {
  return ~0u >> (warp - (u32)__lockstep_active_lanes());
}

CONVERGENT void __lockstep_sub_group_barrier(void) {
  __nvvm_bar_warp_sync(members());
}
CONVERGENT void __lockstep_sub_group_barrier_here(void) {
  __nvvm_bar_warp_sync(__nvvm_activemask());
}
CONVERGENT u64 __lockstep_sub_group_ballot(_Bool predicate) {
  return (u32)__nvvm_vote_ballot_sync(members(), predicate);
}
CONVERGENT u64 __lockstep_sub_group_ballot_here(_Bool predicate) {
  return (u32)__nvvm_vote_ballot_sync(__nvvm_activemask(), predicate);
}

// shfl.sync moves 32 bits.
CONVERGENT static u32 moved_u32(u32 mask, u32 value, u32 lane) {
  return __nvvm_shfl_sync_idx_i32(mask, value, lane % warp, warp - 1);
}
CONVERGENT static u64 moved_u64(u32 mask, u64 value, u32 lane) {
  return moved_u32(mask, (u32)value, lane) | (u64)moved_u32(mask, (u32)(value >> 32), lane) << 32;
}
CONVERGENT static u8 moved_u8(u32 mask, u8 value, u32 lane) {
  return moved_u32(mask, value, lane);
}
CONVERGENT static u16 moved_u16(u32 mask, u16 value, u32 lane) {
  return moved_u32(mask, value, lane);
}
CONVERGENT static float moved_float(u32 mask, float value, u32 lane) {
  return __builtin_bit_cast(float, moved_u32(mask, __builtin_bit_cast(u32, value), lane));
}
CONVERGENT static double moved_double(u32 mask, double value, u32 lane) {
  return __builtin_bit_cast(double, moved_u64(mask, __builtin_bit_cast(u64, value), lane));
}

#define MOVES(machine, type)                                                                       \
  CONVERGENT type __lockstep_sub_group_broadcast_##machine(type value, u32 lane) {                 \
    return moved_##type(members(), value, lane);                                                   \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_broadcast_##machine##_here(type value, u32 lane) {          \
    return moved_##type(__nvvm_activemask(), value, lane);                                         \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_shuffle_##machine(type value, u32 lane) {                   \
    return moved_##type(members(), value, lane);                                                   \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_shuffle_##machine##_here(type value, u32 lane) {            \
    return moved_##type(__nvvm_activemask(), value, lane);                                         \
  }
MOVES(i8, u8)
MOVES(i16, u16)
MOVES(i32, u32)
MOVES(i64, u64)

// The numbers of CombineOperation (src/kernel_ir/primitives.h).
enum { add, mul, min, max, unsigned_min, unsigned_max, bitwise_and, bitwise_or, bitwise_xor };

#define COMBINE_INTEGERS(type, with_sign)                                                          \
  INLINE static type combined_##type(u32 operation, type a, type b) {                              \
    switch (operation) {                                                                           \
    case add:                                                                                      \
      return a + b;                                                                                \
    case mul:                                                                                      \
      return a * b;                                                                                \
    case min:                                                                                      \
      return (with_sign)b < (with_sign)a ? b : a;                                                  \
    case max:                                                                                      \
      return (with_sign)a < (with_sign)b ? b : a;                                                  \
    case unsigned_min:                                                                             \
      return b < a ? b : a;                                                                        \
    case unsigned_max:                                                                             \
      return a < b ? b : a;                                                                        \
    case bitwise_and:                                                                              \
      return a & b;                                                                                \
    case bitwise_or:                                                                               \
      return a | b;                                                                                \
    default:                                                                                       \
      return a ^ b;                                                                                \
    }                                                                                              \
  }                                                                                                \
  INLINE static type identity_##type(u32 operation) {                                              \
    const type least = (type)((type)1 << (8 * sizeof(type) - 1));                                  \
    switch (operation) {                                                                           \
    case mul:                                                                                      \
      return 1;                                                                                    \
    case min:                                                                                      \
      return (type)~least;                                                                         \
    case max:                                                                                      \
      return least;                                                                                \
    case unsigned_min:                                                                             \
    case bitwise_and:                                                                              \
      return (type) ~(type)0;                                                                      \
    default:                                                                                       \
      return 0;                                                                                    \
    }                                                                                              \
  }
COMBINE_INTEGERS(u8, signed char)
COMBINE_INTEGERS(u16, short)
COMBINE_INTEGERS(u32, int)
COMBINE_INTEGERS(u64, long long)

// OpenCL's identities for min and max are the infinities.
#define COMBINE_REALS(type, least_of_two, most_of_two)                                             \
  INLINE static type combined_##type(u32 operation, type a, type b) {                              \
    switch (operation) {                                                                           \
    case add:                                                                                      \
      return a + b;                                                                                \
    case mul:                                                                                      \
      return a * b;                                                                                \
    case min:                                                                                      \
      return least_of_two(a, b);                                                                   \
    default:                                                                                       \
      return most_of_two(a, b);                                                                    \
    }                                                                                              \
  }                                                                                                \
  INLINE static type identity_##type(u32 operation) {                                              \
    return operation == add   ? 0                                                                  \
           : operation == mul ? 1                                                                  \
           : operation == min ? (type)__builtin_inff()                                             \
                              : (type) - __builtin_inff();                                         \
  }
COMBINE_REALS(float, __builtin_fminf, __builtin_fmaxf)
COMBINE_REALS(double, __builtin_fmin, __builtin_fmax)

// True if the warp has an instruction for the reduction (from sm_80 on).
INLINE static _Bool has_redux(u32 operation) {
  return lockstep_nvidia_architecture >= 80 && operation != mul;
}
CONVERGENT static u32 redux(u32 operation, u32 mask, u32 value) {
  switch (operation) {
  case add:
    return __nvvm_redux_sync_add(value, mask);
  case min:
    return __nvvm_redux_sync_min(value, mask);
  case max:
    return __nvvm_redux_sync_max(value, mask);
  case unsigned_min:
    return __nvvm_redux_sync_umin(value, mask);
  case unsigned_max:
    return __nvvm_redux_sync_umax(value, mask);
  case bitwise_and:
    return __nvvm_redux_sync_and(value, mask);
  case bitwise_or:
    return __nvvm_redux_sync_or(value, mask);
  default:
    return __nvvm_redux_sync_xor(value, mask);
  }
}

// All lanes are there: a tree of exchanges. Lanes that are no work-items contribute nothing.
// Otherwise: one lane after the other, unless all happen to be there.
#define REDUCTIONS(machine, type)                                                                  \
  CONVERGENT type __lockstep_sub_group_reduce_##machine(u32 operation, u32 cluster, type value) {  \
    const u32 mask = members(), end = cluster ? cluster : warp,                                    \
              active = __lockstep_active_lanes();                                                  \
    for (u32 step = 1; step < end; step *= 2) {                                                    \
      const u32 other = (u32)__lockstep_lane() ^ step;                                             \
      const type its = moved_##type(mask, value, other < active ? other : 0);                      \
      value = other < active ? combined_##type(operation, value, its) : value;                     \
    }                                                                                              \
    /* Only the first lane has met all others if some are missing. */                              \
    return active == warp ? value                                                                  \
                          : moved_##type(mask, value, (u32)__lockstep_lane() & ~(end - 1));        \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_reduce_##machine##_here(u32 operation, u32 cluster,         \
                                                               type value) {                       \
    const u32 mask = __nvvm_activemask(), own = __lockstep_lane();                                 \
    if (mask == members())                                                                         \
      return __lockstep_sub_group_reduce_##machine(operation, cluster, value);                     \
    type result = identity_##type(operation);                                                      \
    for (u32 rest = mask; rest; rest &= rest - 1) {                                                \
      const u32 other = __builtin_ctz(rest);                                                       \
      const type its = moved_##type(mask, value, other);                                           \
      if (cluster == 0 || other / cluster == own / cluster)                                        \
        result = combined_##type(operation, result, its);                                          \
    }                                                                                              \
    return result;                                                                                 \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_scan_##machine(u32 operation, u32 exclusive, type value) {  \
    const u32 mask = members(), own = __lockstep_lane();                                           \
    for (u32 step = 1; step < warp; step *= 2) {                                                   \
      const type its = moved_##type(mask, value, own >= step ? own - step : own);                  \
      value = own >= step ? combined_##type(operation, its, value) : value;                        \
    }                                                                                              \
    if (!exclusive)                                                                                \
      return value;                                                                                \
    value = moved_##type(mask, value, own ? own - 1 : 0);                                          \
    return own ? value : identity_##type(operation);                                               \
  }                                                                                                \
  CONVERGENT type __lockstep_sub_group_scan_##machine##_here(u32 operation, u32 exclusive,         \
                                                             type value) {                         \
    const u32 mask = __nvvm_activemask(), own = __lockstep_lane();                                 \
    if (mask == members())                                                                         \
      return __lockstep_sub_group_scan_##machine(operation, exclusive, value);                     \
    type result = identity_##type(operation);                                                      \
    for (u32 rest = mask; rest; rest &= rest - 1) {                                                \
      const u32 other = __builtin_ctz(rest);                                                       \
      const type its = moved_##type(mask, value, other);                                           \
      if (other < own || (other == own && !exclusive))                                             \
        result = combined_##type(operation, result, its);                                          \
    }                                                                                              \
    return result;                                                                                 \
  }
REDUCTIONS(i8, u8)
REDUCTIONS(i16, u16)
REDUCTIONS(i64, u64)
REDUCTIONS(f32, float)
REDUCTIONS(f64, double)
#define __lockstep_sub_group_reduce_i32 reduce_by_exchanges
#define __lockstep_sub_group_reduce_i32_here reduce_by_exchanges_here
REDUCTIONS(i32, u32)
#undef __lockstep_sub_group_reduce_i32
#undef __lockstep_sub_group_reduce_i32_here
CONVERGENT u32 __lockstep_sub_group_reduce_i32(u32 operation, u32 cluster, u32 value) {
  return cluster == 0 && has_redux(operation) ? redux(operation, members(), value)
                                              : reduce_by_exchanges(operation, cluster, value);
}
CONVERGENT u32 __lockstep_sub_group_reduce_i32_here(u32 operation, u32 cluster, u32 value) {
  return cluster == 0 && has_redux(operation) ? redux(operation, __nvvm_activemask(), value)
                                              : reduce_by_exchanges_here(operation, cluster, value);
}

// ---- parts of sub-groups (parts_of_sub_groups.cl): the members may come one by one

INLINE u32 lockstep_nvidia_lanes(void) {
  return members();
}
CONVERGENT u32 lockstep_nvidia_ballot_of_part(u32 lanes, u32 predicate) {
  return (u32)__nvvm_vote_ballot_sync(lanes & members(), predicate != 0);
}
CONVERGENT u32 lockstep_nvidia_shuffle_in_part(u32 lanes, u32 value, u32 lane) {
  return moved_u32(lanes & members(), value, lane);
}
CONVERGENT void lockstep_nvidia_barrier_of_part(u32 lanes) {
  __nvvm_bar_warp_sync(lanes & members());
}

// ---- work-group collectives: work-item 0 combines the values of the sub-groups

enum { reduction, exclusive_scan, pick }; // GroupCombination (src/kernel_ir/primitives.h)

#define GROUP_COMBINE(name, type, meet)                                                            \
  CONVERGENT void __lockstep_group_combine_##name(u32 operation, u32 what, LOCAL u64 *scratch,     \
                                                  u64 count) {                                     \
    meet();                                                                                        \
    if (item() == 0 && what == pick)                                                               \
      scratch[0] = scratch[1 + count];                                                             \
    if (item() == 0 && what != pick) {                                                             \
      type sum = identity_##type(operation);                                                       \
      for (u64 i = 1; i <= count; ++i) {                                                           \
        LOCAL type *slot = (LOCAL type *)&scratch[i];                                              \
        const type partial = *slot;                                                                \
        if (what == exclusive_scan)                                                                \
          *slot = sum;                                                                             \
        sum = combined_##type(operation, sum, partial);                                            \
      }                                                                                            \
      if (what == reduction)                                                                       \
        *(LOCAL type *)scratch = sum;                                                              \
    }                                                                                              \
    meet();                                                                                        \
  }
GROUP_COMBINE(i8, u8, meet)
GROUP_COMBINE(i8_here, u8, meet_here)
GROUP_COMBINE(i16, u16, meet)
GROUP_COMBINE(i16_here, u16, meet_here)
GROUP_COMBINE(i32, u32, meet)
GROUP_COMBINE(i32_here, u32, meet_here)
GROUP_COMBINE(i64, u64, meet)
GROUP_COMBINE(i64_here, u64, meet_here)
GROUP_COMBINE(f32, float, meet)
GROUP_COMBINE(f32_here, float, meet_here)
GROUP_COMBINE(f64, double, meet)
GROUP_COMBINE(f64_here, double, meet_here)

// ---- copies that the work-items of a group make together

INLINE static void copy_words(char *to, const char *from, u64 begin, u64 end, u32 step) {
  for (u64 i = begin; i < end; i += step)
    to[i] = from[i];
}
CONVERGENT void __lockstep_group_copy(void *to, const void *from, u64 count, u64 to_stride,
                                      u64 from_stride, u64 size) {
#define COPY_AS(type)                                                                              \
  case sizeof(type):                                                                               \
    for (u64 i = item(); i < count; i += items())                                                  \
      ((type *)to)[i * to_stride] = ((const type *)from)[i * from_stride];                         \
    break;
  switch (size) {
    COPY_AS(u8)
    COPY_AS(u16)
    COPY_AS(u32)
    COPY_AS(u64)
  default:
    for (u64 i = item(); i < count * size; i += items())
      ((char *)to)[i / size * to_stride * size + i % size] =
          ((const char *)from)[i / size * from_stride * size + i % size];
  }
#undef COPY_AS
}
CONVERGENT void __lockstep_group_copy_lines(void *to, const void *from, u64 line_bytes, u64 lines,
                                            u64 planes, u64 to_line, u64 to_plane, u64 from_line,
                                            u64 from_plane) {
  for (u64 plane = 0; plane < planes; ++plane)
    for (u64 line = 0; line < lines; ++line)
      copy_words((char *)to + plane * to_plane + line * to_line,
                 (const char *)from + plane * from_plane + line * from_line, item(), line_bytes,
                 items());
}

// ---- arithmetic, address spaces

INLINE float __lockstep_reciprocal_sqrt(float x) {
  return __nvvm_rsqrt_approx_f(x);
}

// Instructions that maths.cl uses. Subnormal arguments and results of ex2 and lg2 count as zero.
INLINE float lockstep_nvidia_ex2(float x) {
  return __nvvm_ex2_approx_ftz_f(x);
}
INLINE float lockstep_nvidia_lg2(float x) {
  return __nvvm_lg2_approx_ftz_f(x);
}
INLINE float lockstep_nvidia_fma_saturated(float a, float b, float c) {
  return __nvvm_saturate_f(__builtin_fmaf(a, b, c));
}
INLINE float lockstep_nvidia_fma_down(float a, float b, float c) {
  return __nvvm_fma_rm_f(a, b, c);
}

// The number of the address space in kernel IR (src/abi/address_spaces.h).
INLINE u32 lockstep_address_space_of(const void *address) {
  return __nvvm_isspacep_shared(address) ? 3 : __nvvm_isspacep_local(address) ? 0 : 1;
}

// ---- printf

__attribute__((noinline)) int
lockstep_nvidia_printf(GLOBAL struct lockstep_printf_buffer *buffer, u32 format,
                       const u8 *arguments, u32 size,
                       GLOBAL const struct lockstep_printf_string *strings, u32 count) {
  return write_printf_record(buffer, format, arguments, size, strings, count);
}
