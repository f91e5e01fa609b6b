// Work-group collective functions (OpenCL C 6.15.18) and cl_khr_work_group_uniform_arithmetic.
//
// The combination is a tree of two levels. Each sub-group combines its lanes and stores the partial
// result in its slot of the scratch memory. The partial results are combined once for the group, at
// a point where no work-item of the group runs (docs/kernel_ir.md, __lockstep_group_combine). That
// is the only barrier: until the next collective, a sub-group writes only its own slot, and only
// the combination writes the slot of the result.
#include "device_lib/groups/sub_group_primitives.h"

enum { result_slot = 0, first_partial = 1 };

static local ulong *own_slot(void) {
  return __lockstep_group_scratch() + first_partial + __lockstep_sub_group_id();
}

static ulong number_of_sub_groups(void) {
  uint width = __lockstep_sub_group_width(); // a power of two
  ulong items = __lockstep_local_size(0) * __lockstep_local_size(1) * __lockstep_local_size(2);
  return (items + width - 1) >> (31 - clz(width));
}

#define REDUCE(operation, type, kind, computed, number)                                            \
  BUILTIN GROUP_OPERATION type work_group_reduce_##operation(type value) {                         \
    *(local number *)own_slot() = __lockstep_sub_group_reduce_##computed(                          \
        operation_##operation##_##kind, 0, as_##number(value));                                    \
    __lockstep_group_combine_##computed(operation_##operation##_##kind, combination_reduction,     \
                                        __lockstep_group_scratch(), number_of_sub_groups());       \
    return as_##type(*(local number *)(__lockstep_group_scratch() + result_slot));                 \
  }

// A scan defines the last lane even if it is not a work-item: it holds the sub-group's total. Lanes
// before the first take the identity, which is the first element of an exclusive scan.
#define SCANS(operation, type, kind, moved, bits, computed, number)                                \
  static GROUP_OPERATION BUILTIN type scan_prefix_##operation(type inclusive) {                    \
    *(local bits *)own_slot() =                                                                    \
        as_##bits(broadcast_lane(inclusive, __lockstep_sub_group_width() - 1));                    \
    __lockstep_group_combine_##computed(operation_##operation##_##kind,                            \
                                        combination_exclusive_scan, __lockstep_group_scratch(),    \
                                        number_of_sub_groups());                                   \
    return as_##type(*(local bits *)own_slot());                                                   \
  }                                                                                                \
  BUILTIN GROUP_OPERATION type work_group_scan_inclusive_##operation(type value) {                 \
    type inclusive = as_##type(__lockstep_sub_group_scan_##computed(                               \
        operation_##operation##_##kind, 0, as_##number(value)));                                   \
    type prefix = scan_prefix_##operation(inclusive);                                              \
    return combined_##operation(prefix, inclusive);                                                \
  }                                                                                                \
  BUILTIN GROUP_OPERATION type work_group_scan_exclusive_##operation(type value) {                 \
    type inclusive = as_##type(__lockstep_sub_group_scan_##computed(                               \
        operation_##operation##_##kind, 0, as_##number(value)));                                   \
    type before = take_lane(inclusive, own_lane() - 1);                                            \
    type prefix = scan_prefix_##operation(inclusive);                                              \
    return own_lane() == 0 ? prefix : combined_##operation(prefix, before);                        \
  }

#define combined_add(a, b) ((a) + (b))
#define combined_mul(a, b) ((a) * (b))
#define combined_min(a, b) ((b) < (a) ? (b) : (a))
#define combined_max(a, b) ((a) < (b) ? (b) : (a))
#define combined_and(a, b) ((a) & (b))
#define combined_or(a, b) ((a) | (b))
#define combined_xor(a, b) ((a) ^ (b))

#define COLLECTIVE(operation, type, kind, moved, bits, computed, number)                           \
  REDUCE(operation, type, kind, computed, number)                                                  \
  SCANS(operation, type, kind, moved, bits, computed, number)

#define ARITHMETIC(type, kind, moved, bits, computed, number)                                      \
  COLLECTIVE(add, type, kind, moved, bits, computed, number)                                       \
  COLLECTIVE(mul, type, kind, moved, bits, computed, number)                                       \
  COLLECTIVE(min, type, kind, moved, bits, computed, number)                                       \
  COLLECTIVE(max, type, kind, moved, bits, computed, number)
#define BITWISE(type, kind, moved, bits, computed, number)                                         \
  COLLECTIVE(and, type, kind, moved, bits, computed, number)                                       \
  COLLECTIVE(or, type, kind, moved, bits, computed, number)                                        \
  COLLECTIVE(xor, type, kind, moved, bits, computed, number)
INT_TYPES(ARITHMETIC)
LONG_TYPES(ARITHMETIC)
REAL_TYPES(ARITHMETIC)
INT_TYPES(BITWISE)
LONG_TYPES(BITWISE)

// Halves are combined as floats, and the result is rounded.
#define HALF_COLLECTIVE(operation)                                                                 \
  BUILTIN GROUP_OPERATION half work_group_reduce_##operation(half value) {                         \
    return (half)work_group_reduce_##operation((float)value);                                      \
  }                                                                                                \
  BUILTIN GROUP_OPERATION half work_group_scan_inclusive_##operation(half value) {                 \
    return (half)work_group_scan_inclusive_##operation((float)value);                              \
  }                                                                                                \
  BUILTIN GROUP_OPERATION half work_group_scan_exclusive_##operation(half value) {                 \
    return (half)work_group_scan_exclusive_##operation((float)value);                              \
  }
HALF_COLLECTIVE(add)
HALF_COLLECTIVE(mul)
HALF_COLLECTIVE(min)
HALF_COLLECTIVE(max)

// ---- predicates: numbers that are 0 or 1 ----

static GROUP_OPERATION int reduced_bits(uint operation, uint of_sub_group) {
  *(local uint *)own_slot() = of_sub_group;
  __lockstep_group_combine_i32(operation, combination_reduction, __lockstep_group_scratch(),
                               number_of_sub_groups());
  return *(local int *)(__lockstep_group_scratch() + result_slot);
}

BUILTIN GROUP_OPERATION int work_group_reduce_logical_and(int predicate) {
  return reduced_bits(operation_and_u, ballot(predicate == 0) == 0);
}
BUILTIN GROUP_OPERATION int work_group_reduce_logical_or(int predicate) {
  return reduced_bits(operation_or_u, ballot(predicate != 0) != 0);
}
BUILTIN GROUP_OPERATION int work_group_reduce_logical_xor(int predicate) {
  return reduced_bits(operation_xor_u, (uint)popcount(ballot(predicate != 0)) & 1);
}
BUILTIN GROUP_OPERATION int work_group_all(int predicate) {
  return work_group_reduce_logical_and(predicate);
}
BUILTIN GROUP_OPERATION int work_group_any(int predicate) {
  return work_group_reduce_logical_or(predicate);
}

#define LOGICAL_SCANS(operation)                                                                   \
  BUILTIN GROUP_OPERATION int work_group_scan_inclusive_logical_##operation(int predicate) {       \
    return work_group_scan_inclusive_##operation((int)(predicate != 0));                           \
  }                                                                                                \
  BUILTIN GROUP_OPERATION int work_group_scan_exclusive_logical_##operation(int predicate) {       \
    return work_group_scan_exclusive_##operation((int)(predicate != 0)) & 1;                       \
  }
LOGICAL_SCANS(and)
LOGICAL_SCANS(or)
LOGICAL_SCANS(xor)

// ---- broadcast: the sub-group of the selected work-item fills its slot ----

#define BROADCAST(type, kind, moved, bits, computed, number)                                       \
  BUILTIN GROUP_OPERATION type work_group_broadcast(type value, size_t x, size_t y, size_t z) {    \
    uint item = (uint)((z * __lockstep_local_size(1) + y) * __lockstep_local_size(0) + x);         \
    uint width = __lockstep_sub_group_width();                                                     \
    uint chosen = item >> (31 - clz(width));                                                       \
    if (__lockstep_sub_group_id() == chosen)                                                       \
      *(local bits *)own_slot() = as_##bits(broadcast_lane(value, item & (width - 1)));            \
    __lockstep_group_combine_##moved(operation_add_u, combination_pick,                            \
                                     __lockstep_group_scratch(), chosen);                          \
    return as_##type(*(local bits *)(__lockstep_group_scratch() + result_slot));                   \
  }                                                                                                \
  BUILTIN GROUP_OPERATION type work_group_broadcast(type value, size_t x, size_t y) {              \
    return work_group_broadcast(value, x, y, 0);                                                   \
  }                                                                                                \
  BUILTIN GROUP_OPERATION type work_group_broadcast(type value, size_t x) {                        \
    return work_group_broadcast(value, x, 0, 0);                                                   \
  }
INT_TYPES(BROADCAST)
LONG_TYPES(BROADCAST)
REAL_TYPES(BROADCAST)
HALF_TYPES(BROADCAST)
