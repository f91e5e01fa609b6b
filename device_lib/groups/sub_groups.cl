// Sub-groups: cl_khr_subgroups and the feature __opencl_c_subgroups (OpenCL C 6.15.19), the types
// of cl_khr_subgroup_extended_types, and the arithmetic of cl_khr_subgroup_non_uniform_arithmetic
// and cl_khr_subgroup_clustered_reduce.
//
// A function that all work-items of a sub-group must reach and its non-uniform version share their
// code: the active lanes take part.
#include "device_lib/groups/sub_group_primitives.h"

BUILTIN PURE uint get_sub_group_size(void) {
  return (uint)__lockstep_active_lanes();
}
BUILTIN PURE uint get_max_sub_group_size(void) {
  return __lockstep_sub_group_width();
}
BUILTIN PURE uint get_sub_group_id(void) {
  return __lockstep_sub_group_id();
}
BUILTIN PURE uint get_sub_group_local_id(void) {
  return own_lane();
}

static uint sub_groups_of(ulong items) {
  uint width = __lockstep_sub_group_width(); // a power of two
  return (uint)(items + width - 1) >> (31 - clz(width));
}
BUILTIN PURE uint get_num_sub_groups(void) {
  return sub_groups_of(__lockstep_local_size(0) * __lockstep_local_size(1) *
                       __lockstep_local_size(2));
}
BUILTIN PURE uint get_enqueued_num_sub_groups(void) {
  return sub_groups_of(__lockstep_enqueued_local_size(0) * __lockstep_enqueued_local_size(1) *
                       __lockstep_enqueued_local_size(2));
}

// The scope does not matter on a CPU; see synchronization.cl.
BUILTIN SUB_GROUP_FUNCTION void sub_group_barrier(cl_mem_fence_flags flags) {
  __lockstep_sub_group_barrier();
}
BUILTIN SUB_GROUP_FUNCTION void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
  __lockstep_sub_group_barrier();
}

// ---- votes (cl_khr_subgroup_non_uniform_vote) ----

BUILTIN SUB_GROUP_FUNCTION int sub_group_all(int predicate) {
  return ballot(predicate == 0) == 0;
}
BUILTIN SUB_GROUP_FUNCTION int sub_group_any(int predicate) {
  return ballot(predicate != 0) != 0;
}
BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_all(int predicate) {
  return ballot(predicate == 0) == 0;
}
BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_any(int predicate) {
  return ballot(predicate != 0) != 0;
}
static SUB_GROUP_FUNCTION uint first_active(void) {
  return (uint)ctz(ballot(true));
}
BUILTIN SUB_GROUP_FUNCTION int sub_group_elect(void) {
  return own_lane() == first_active();
}

#define ALL_EQUAL(type, kind, moved, bits, computed, number)                                       \
  BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_all_equal(type value) {                     \
    return ballot(value != broadcast_lane(value, first_active())) == 0;                            \
  }
SCALAR_TYPES(ALL_EQUAL)
HALF_TYPES(ALL_EQUAL)

// ---- broadcasts, also of cl_khr_subgroup_ballot ----

#define BROADCASTS(type, kind, moved, bits, computed, number)                                      \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_broadcast(type value, uint lane) {                     \
    return broadcast_lane(value, lane);                                                            \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_non_uniform_broadcast(type value, uint lane) {         \
    return broadcast_lane(value, lane);                                                            \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_broadcast_first(type value) {                          \
    return broadcast_lane(value, first_active());                                                  \
  }                                                                                                \
  BY_ELEMENTS(sub_group_broadcast, type, broadcast_lane)                                           \
  BY_ELEMENTS(sub_group_non_uniform_broadcast, type, broadcast_lane)
SCALAR_TYPES(BROADCASTS)
HALF_TYPES(BROADCASTS)

// ---- arithmetic ----

#define COMBINATION(prefix, operation, type, kind, computed, number)                               \
  BUILTIN SUB_GROUP_FUNCTION type prefix##reduce_##operation(type value) {                         \
    return as_##type(__lockstep_sub_group_reduce_##computed(operation_##operation##_##kind, 0,     \
                                                            as_##number(value)));                  \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type prefix##scan_inclusive_##operation(type value) {                 \
    return as_##type(__lockstep_sub_group_scan_##computed(operation_##operation##_##kind, 0,       \
                                                          as_##number(value)));                    \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION type prefix##scan_exclusive_##operation(type value) {                 \
    return as_##type(__lockstep_sub_group_scan_##computed(operation_##operation##_##kind, 1,       \
                                                          as_##number(value)));                    \
  }

#define CLUSTERED(operation, type, kind, computed, number)                                         \
  BUILTIN SUB_GROUP_FUNCTION type sub_group_clustered_reduce_##operation(type value,               \
                                                                         uint cluster) {           \
    return as_##type(__lockstep_sub_group_reduce_##computed(operation_##operation##_##kind,        \
                                                            cluster, as_##number(value)));         \
  }

#define ARITHMETIC(type, kind, moved, bits, computed, number)                                      \
  COMBINATION(sub_group_, add, type, kind, computed, number)                                       \
  COMBINATION(sub_group_, min, type, kind, computed, number)                                       \
  COMBINATION(sub_group_, max, type, kind, computed, number)                                       \
  COMBINATION(sub_group_non_uniform_, add, type, kind, computed, number)                           \
  COMBINATION(sub_group_non_uniform_, mul, type, kind, computed, number)                           \
  COMBINATION(sub_group_non_uniform_, min, type, kind, computed, number)                           \
  COMBINATION(sub_group_non_uniform_, max, type, kind, computed, number)                           \
  CLUSTERED(add, type, kind, computed, number)                                                     \
  CLUSTERED(mul, type, kind, computed, number)                                                     \
  CLUSTERED(min, type, kind, computed, number)                                                     \
  CLUSTERED(max, type, kind, computed, number)
SCALAR_TYPES(ARITHMETIC)

#define BITWISE(type, kind, moved, bits, computed, number)                                         \
  COMBINATION(sub_group_non_uniform_, and, type, kind, computed, number)                           \
  COMBINATION(sub_group_non_uniform_, or, type, kind, computed, number)                            \
  COMBINATION(sub_group_non_uniform_, xor, type, kind, computed, number)                           \
  CLUSTERED(and, type, kind, computed, number)                                                     \
  CLUSTERED(or, type, kind, computed, number)                                                      \
  CLUSTERED(xor, type, kind, computed, number)
INTEGER_TYPES(BITWISE)

// Halves are combined as floats, and the result is rounded.
#define HALF_COMBINATION(prefix, operation)                                                        \
  BUILTIN SUB_GROUP_FUNCTION half prefix##reduce_##operation(half value) {                         \
    return (half)prefix##reduce_##operation((float)value);                                         \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION half prefix##scan_inclusive_##operation(half value) {                 \
    return (half)prefix##scan_inclusive_##operation((float)value);                                 \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION half prefix##scan_exclusive_##operation(half value) {                 \
    return (half)prefix##scan_exclusive_##operation((float)value);                                 \
  }
#define HALF_CLUSTERED(operation)                                                                  \
  BUILTIN SUB_GROUP_FUNCTION half sub_group_clustered_reduce_##operation(half value,               \
                                                                         uint cluster) {           \
    return (half)sub_group_clustered_reduce_##operation((float)value, cluster);                    \
  }
HALF_COMBINATION(sub_group_, add)
HALF_COMBINATION(sub_group_, min)
HALF_COMBINATION(sub_group_, max)
HALF_COMBINATION(sub_group_non_uniform_, add)
HALF_COMBINATION(sub_group_non_uniform_, mul)
HALF_COMBINATION(sub_group_non_uniform_, min)
HALF_COMBINATION(sub_group_non_uniform_, max)
HALF_CLUSTERED(add)
HALF_CLUSTERED(mul)
HALF_CLUSTERED(min)
HALF_CLUSTERED(max)

// ---- logical operations on the bits of a ballot, for the lanes in `these` ----

static SUB_GROUP_FUNCTION int all_of(int predicate, ulong these) {
  return (ballot(predicate == 0) & these) == 0;
}
static SUB_GROUP_FUNCTION int any_of(int predicate, ulong these) {
  return (ballot(predicate != 0) & these) != 0;
}
static SUB_GROUP_FUNCTION int odd_of(int predicate, ulong these) {
  return (int)(popcount(ballot(predicate != 0) & these) & 1);
}
static ulong lanes_up_to_own(void) {
  return 2ul * lanes_below() + 1;
}
static ulong own_cluster(uint size) {
  return (~0ul >> (64 - size)) << (own_lane() & ~(size - 1));
}

#define LOGICAL(operation, bits)                                                                   \
  BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_reduce_logical_##operation(int p) {         \
    return bits(p, ~0ul);                                                                          \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_scan_inclusive_logical_##operation(int p) { \
    return bits(p, lanes_up_to_own());                                                             \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION int sub_group_non_uniform_scan_exclusive_logical_##operation(int p) { \
    return bits(p, lanes_below());                                                                 \
  }                                                                                                \
  BUILTIN SUB_GROUP_FUNCTION int sub_group_clustered_reduce_logical_##operation(int p,             \
                                                                                uint cluster) {    \
    return bits(p, own_cluster(cluster));                                                          \
  }
LOGICAL(and, all_of)
LOGICAL(or, any_of)
LOGICAL(xor, odd_of)
