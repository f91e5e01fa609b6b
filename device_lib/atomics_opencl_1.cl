// Atomic functions of OpenCL C 1.x (OpenCL C 6.15.12.8): atomic_* for 32 bits, and atom_* of the
// extensions cl_khr_{global,local}_int32_{base,extended}_atomics and
// cl_khr_int64_{base,extended}_atomics.
//
// They are relaxed: they order no accesses to other variables.
#include "device_lib/lockstep_builtins.h"

#define RELAXED memory_order_relaxed
#define AS_ATOMIC(space, type, p) ((volatile space atomic_##type *)(p))

#define FETCH_OPERATION(prefix, name, operation, space, type)                                      \
  BUILTIN type prefix##name(volatile space type *p, type value) {                                  \
    return __c11_atomic_##operation(AS_ATOMIC(space, type, p), value, RELAXED);                    \
  }

#define STEP_OPERATION(prefix, name, operation, space, type)                                       \
  BUILTIN type prefix##name(volatile space type *p) {                                              \
    return __c11_atomic_##operation(AS_ATOMIC(space, type, p), (type)1, RELAXED);                  \
  }

#define COMPARE_EXCHANGE(prefix, space, type)                                                      \
  BUILTIN type prefix##cmpxchg(volatile space type *p, type expected, type desired) {              \
    __c11_atomic_compare_exchange_strong(AS_ATOMIC(space, type, p), &expected, desired, RELAXED,   \
                                         RELAXED);                                                 \
    return expected;                                                                               \
  }

#define ALL_OPERATIONS(prefix, space, type)                                                        \
  FETCH_OPERATION(prefix, add, fetch_add, space, type)                                             \
  FETCH_OPERATION(prefix, sub, fetch_sub, space, type)                                             \
  FETCH_OPERATION(prefix, xchg, exchange, space, type)                                             \
  FETCH_OPERATION(prefix, min, fetch_min, space, type)                                             \
  FETCH_OPERATION(prefix, max, fetch_max, space, type)                                             \
  FETCH_OPERATION(prefix, and, fetch_and, space, type)                                             \
  FETCH_OPERATION(prefix, or, fetch_or, space, type)                                               \
  FETCH_OPERATION(prefix, xor, fetch_xor, space, type)                                             \
  STEP_OPERATION(prefix, inc, fetch_add, space, type)                                              \
  STEP_OPERATION(prefix, dec, fetch_sub, space, type)                                              \
  COMPARE_EXCHANGE(prefix, space, type)

#define ALL_TYPES(space)                                                                           \
  ALL_OPERATIONS(atomic_, space, int)                                                              \
  ALL_OPERATIONS(atomic_, space, uint)                                                             \
  ALL_OPERATIONS(atom_, space, int)                                                                \
  ALL_OPERATIONS(atom_, space, uint)                                                               \
  ALL_OPERATIONS(atom_, space, long)                                                               \
  ALL_OPERATIONS(atom_, space, ulong)                                                              \
  FETCH_OPERATION(atomic_, xchg, exchange, space, float)

ALL_TYPES(global)
ALL_TYPES(local)
