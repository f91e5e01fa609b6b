// The primitives of sub-groups and collectives (docs/kernel_ir.md, "Sub-groups") for every type,
// and lists of types and operations from which builtins are defined.
//
// A primitive that takes a value has a function for each machine type. `take(value, lane)` and
// similar functions select it by the OpenCL C type. Functions that only move bits pass a
// floating-point number as an integer.
#pragma once

#include "device_lib/lockstep_builtins.h"

// The result depends on which lanes reach the call: it must not move, and two calls must not merge.
#define SUB_GROUP_OPERATION __attribute__((convergent, nomerge, const))
#define SUB_GROUP_FUNCTION __attribute__((convergent))

PURE ulong __lockstep_lane(void);
PURE ulong __lockstep_active_lanes(void);
PURE uint __lockstep_sub_group_width(void);
PURE uint __lockstep_sub_group_id(void);
__attribute__((convergent, nomerge)) void __lockstep_sub_group_barrier(void);
SUB_GROUP_OPERATION ulong __lockstep_sub_group_ballot(bool predicate);
PURE local ulong *__lockstep_group_scratch(void);

// Values of CombineOperation and GroupCombination (src/kernel_ir/primitives.h). The former depend
// on the kind of the type: s signed, u unsigned, f floating-point.
enum {
  operation_add_s = 0,
  operation_add_u = 0,
  operation_add_f = 0,
  operation_mul_s = 1,
  operation_mul_u = 1,
  operation_mul_f = 1,
  operation_min_s = 2,
  operation_min_u = 4,
  operation_min_f = 2,
  operation_max_s = 3,
  operation_max_u = 5,
  operation_max_f = 3,
  operation_and_s = 6,
  operation_and_u = 6,
  operation_or_s = 7,
  operation_or_u = 7,
  operation_xor_s = 8,
  operation_xor_u = 8,
};
enum { combination_reduction, combination_exclusive_scan, combination_pick };

// macro(machine type, OpenCL C type that represents it)
#define MOVED_TYPES(macro) macro(i8, uchar) macro(i16, ushort) macro(i32, uint) macro(i64, ulong)
#define COMPUTED_TYPES(macro) MOVED_TYPES(macro) macro(f32, float) macro(f64, double)

#define DECLARE_MOVES(machine, type)                                                               \
  SUB_GROUP_OPERATION type __lockstep_sub_group_broadcast_##machine(type value, uint lane);        \
  SUB_GROUP_OPERATION type __lockstep_sub_group_shuffle_##machine(type value, uint lane);
#define DECLARE_COMPUTATIONS(machine, type)                                                        \
  SUB_GROUP_OPERATION type __lockstep_sub_group_reduce_##machine(uint operation, uint cluster,     \
                                                                 type value);                      \
  SUB_GROUP_OPERATION type __lockstep_sub_group_scan_##machine(uint operation, uint exclusive,     \
                                                               type value);                        \
  GROUP_OPERATION void __lockstep_group_combine_##machine(uint operation, uint combination,        \
                                                          local ulong *scratch, ulong count);
MOVED_TYPES(DECLARE_MOVES)
COMPUTED_TYPES(DECLARE_COMPUTATIONS)

// macro(type, kind, machine type to move, its type, machine type to compute, its type)
#define INT_TYPES(macro) macro(int, s, i32, uint, i32, uint) macro(uint, u, i32, uint, i32, uint)
#define LONG_TYPES(macro)                                                                          \
  macro(long, s, i64, ulong, i64, ulong) macro(ulong, u, i64, ulong, i64, ulong)
#define SMALL_TYPES(macro)                                                                         \
  macro(char, s, i8, uchar, i8, uchar) macro(uchar, u, i8, uchar, i8, uchar)                       \
      macro(short, s, i16, ushort, i16, ushort) macro(ushort, u, i16, ushort, i16, ushort)
#define REAL_TYPES(macro)                                                                          \
  macro(float, f, i32, uint, f32, float) macro(double, f, i64, ulong, f64, double)
// Halves have primitives that move them only; computations use float.
#define HALF_TYPES(macro) macro(half, f, i16, ushort, , )
#define INTEGER_TYPES(macro) SMALL_TYPES(macro) INT_TYPES(macro) LONG_TYPES(macro)
#define SCALAR_TYPES(macro) INTEGER_TYPES(macro) REAL_TYPES(macro)

// broadcast_lane(value, lane): reads from one lane, which must be the same for all callers.
// take_lane(value, lane): each caller may read from another lane.
#define DEFINE_MOVES(type, kind, machine, bits, computed, number)                                  \
  static inline SUB_GROUP_FUNCTION BUILTIN type broadcast_lane(type value, uint lane) {            \
    return as_##type(__lockstep_sub_group_broadcast_##machine(as_##bits(value), lane));            \
  }                                                                                                \
  static inline SUB_GROUP_FUNCTION BUILTIN type take_lane(type value, uint lane) {                 \
    return as_##type(__lockstep_sub_group_shuffle_##machine(as_##bits(value), lane));              \
  }
SCALAR_TYPES(DEFINE_MOVES)
HALF_TYPES(DEFINE_MOVES)

static inline uint own_lane(void) {
  return (uint)__lockstep_lane();
}
static inline SUB_GROUP_FUNCTION ulong ballot(bool predicate) {
  return __lockstep_sub_group_ballot(predicate);
}
// Bits of the lanes before this one.
static inline ulong lanes_below(void) {
  return (1ul << own_lane()) - 1;
}
// Bits of all lanes.
static inline ulong whole_mask(void) {
  return ~0ul >> (64 - __lockstep_sub_group_width());
}

// Defines `name(vector, argument)` for all vector types, one element at a time.
#define BY_ELEMENTS_2(name, type, element)                                                         \
  SUB_GROUP_FUNCTION BUILTIN type##2 name(type##2 v, uint lane) {                                  \
    return (type##2)(element(v.x, lane), element(v.y, lane));                                      \
  }
#define BY_ELEMENTS_3(name, type, element)                                                         \
  SUB_GROUP_FUNCTION BUILTIN type##3 name(type##3 v, uint lane) {                                  \
    return (type##3)(element(v.x, lane), element(v.y, lane), element(v.z, lane));                  \
  }
#define BY_HALVES(name, type, width, half)                                                         \
  SUB_GROUP_FUNCTION BUILTIN type##width name(type##width v, uint lane) {                          \
    return (type##width)(name(v.lo, lane), name(v.hi, lane));                                      \
  }
#define BY_ELEMENTS(name, type, element)                                                           \
  BY_ELEMENTS_2(name, type, element)                                                               \
  BY_ELEMENTS_3(name, type, element)                                                               \
  BY_HALVES(name, type, 4, 2)                                                                      \
  BY_HALVES(name, type, 8, 4)                                                                      \
  BY_HALVES(name, type, 16, 8)
