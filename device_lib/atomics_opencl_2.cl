// Atomic functions of OpenCL C 2.0 and later (OpenCL C 6.15.12.7), for pointers to the global,
// local and generic address space. Each operation exists without order, with order, and with order
// and scope.
//
// On a CPU two scopes differ. A work-group runs on one thread at a time, so operations of
// work-group scope or narrower need no locked instruction (lower-group-atomics). Operations of
// device scope are the same as for all devices. An order or scope that is not constant becomes a
// switch. clang generates it for __opencl_atomic_*, but only emits scopes for spirv64, so this file
// is compiled for that target.
//
// The parameters are volatile so that every pointer can be passed. The accesses are not: LLVM
// infers no address space for volatile accesses, and would not recognize local ones.
#include "device_lib/lockstep_builtins.h"
#include "device_lib/scopes.h"

#define SEQ_CST memory_order_seq_cst
#define EVERYWHERE memory_scope_all_svm_devices
#define OBJECT(space, type, p) ((space atomic_##type *)(p))

// ---- load, store, exchange, initialize: every type ----

#define LOAD(space, type)                                                                          \
  BUILTIN type atomic_load_explicit(volatile space atomic_##type *p, memory_order order) {         \
    return __opencl_atomic_load(OBJECT(space, type, p), order, EVERYWHERE);                        \
  }                                                                                                \
  BUILTIN type atomic_load_explicit(volatile space atomic_##type *p, memory_order order,           \
                                    memory_scope scope) {                                          \
    return __opencl_atomic_load(OBJECT(space, type, p), order, reach_of(scope));                   \
  }                                                                                                \
  BUILTIN type atomic_load(volatile space atomic_##type *p) {                                      \
    return __opencl_atomic_load(OBJECT(space, type, p), SEQ_CST, EVERYWHERE);                      \
  }

#define STORE(space, type)                                                                         \
  BUILTIN void atomic_init(volatile space atomic_##type *p, type value) {                          \
    __opencl_atomic_init(OBJECT(space, type, p), value);                                           \
  }                                                                                                \
  BUILTIN void atomic_store_explicit(volatile space atomic_##type *p, type value,                  \
                                     memory_order order) {                                         \
    __opencl_atomic_store(OBJECT(space, type, p), value, order, EVERYWHERE);                       \
  }                                                                                                \
  BUILTIN void atomic_store_explicit(volatile space atomic_##type *p, type value,                  \
                                     memory_order order, memory_scope scope) {                     \
    __opencl_atomic_store(OBJECT(space, type, p), value, order, reach_of(scope));                  \
  }                                                                                                \
  BUILTIN void atomic_store(volatile space atomic_##type *p, type value) {                         \
    __opencl_atomic_store(OBJECT(space, type, p), value, SEQ_CST, EVERYWHERE);                     \
  }

// clang's table of builtins declares the value of these stores as an atomic object, while
// opencl-c.h declares it as a half. Calls pass a half in both cases. `number` is the number of the
// address space.
#define STORE_NAME(explicit, number, more)                                                         \
  __asm__("_Z" explicit "PU3AS" #number "VU7_AtomicDhS_" more)
#define STORE_ATOMIC_HALF(space, number)                                                           \
  void space##_store_half(volatile space atomic_half *p, half value)                               \
      STORE_NAME("12atomic_store", number, "");                                                    \
  void space##_store_half(volatile space atomic_half *p, half value) {                             \
    __opencl_atomic_store(OBJECT(space, half, p), value, SEQ_CST, EVERYWHERE);                     \
  }                                                                                                \
  void space##_store_half_by_order(volatile space atomic_half *p, half value, memory_order order)  \
      STORE_NAME("21atomic_store_explicit", number, "12memory_order");                             \
  void space##_store_half_by_order(volatile space atomic_half *p, half value,                      \
                                   memory_order order) {                                           \
    __opencl_atomic_store(OBJECT(space, half, p), value, order, EVERYWHERE);                       \
  }                                                                                                \
  void space##_store_half_in_scope(volatile space atomic_half *p, half value, memory_order order,  \
                                   memory_scope scope)                                             \
      STORE_NAME("21atomic_store_explicit", number, "12memory_order12memory_scope");               \
  void space##_store_half_in_scope(volatile space atomic_half *p, half value, memory_order order,  \
                                   memory_scope scope) {                                           \
    __opencl_atomic_store(OBJECT(space, half, p), value, order, reach_of(scope));                  \
  }
STORE_ATOMIC_HALF(global, 1)
STORE_ATOMIC_HALF(local, 3)
STORE_ATOMIC_HALF(generic, 4)

// ---- read, modify, write; `operand` differs from `type` for atomic_intptr_t and atomic_uintptr_t

#define READ_MODIFY_WRITE(name, space, type, operand)                                              \
  BUILTIN type atomic_##name##_explicit(volatile space atomic_##type *p, operand value,            \
                                        memory_order order) {                                      \
    return __opencl_atomic_##name(OBJECT(space, type, p), (type)value, order, EVERYWHERE);         \
  }                                                                                                \
  BUILTIN type atomic_##name##_explicit(volatile space atomic_##type *p, operand value,            \
                                        memory_order order, memory_scope scope) {                  \
    return __opencl_atomic_##name(OBJECT(space, type, p), (type)value, order, reach_of(scope));    \
  }                                                                                                \
  BUILTIN type atomic_##name(volatile space atomic_##type *p, operand value) {                     \
    return __opencl_atomic_##name(OBJECT(space, type, p), (type)value, SEQ_CST, EVERYWHERE);       \
  }

#define INTEGER_OPERATIONS(space, type, operand)                                                   \
  READ_MODIFY_WRITE(fetch_add, space, type, operand)                                               \
  READ_MODIFY_WRITE(fetch_sub, space, type, operand)                                               \
  READ_MODIFY_WRITE(fetch_and, space, type, operand)                                               \
  READ_MODIFY_WRITE(fetch_or, space, type, operand)                                                \
  READ_MODIFY_WRITE(fetch_xor, space, type, operand)                                               \
  READ_MODIFY_WRITE(fetch_min, space, type, operand)                                               \
  READ_MODIFY_WRITE(fetch_max, space, type, operand)

// cl_ext_float_atomics.
#define FLOATING_POINT_OPERATIONS(space, type)                                                     \
  READ_MODIFY_WRITE(fetch_add, space, type, type)                                                  \
  READ_MODIFY_WRITE(fetch_sub, space, type, type)                                                  \
  READ_MODIFY_WRITE(fetch_min, space, type, type)                                                  \
  READ_MODIFY_WRITE(fetch_max, space, type, type)

// ---- compare and exchange: the expected value may be in another address space than the variable

#define COMPARE_EXCHANGE(name, space, type, expected_space)                                        \
  BUILTIN bool atomic_##name##_explicit(                                                           \
      volatile space atomic_##type *p, expected_space type *expected, type desired,                \
      memory_order success, memory_order failure, memory_scope scope) {                            \
    type seen = *expected;                                                                         \
    bool exchanged = __opencl_atomic_##name(OBJECT(space, type, p), &seen, desired, success,       \
                                            failure, reach_of(scope));                             \
    if (!exchanged)                                                                                \
      *expected = seen;                                                                            \
    return exchanged;                                                                              \
  }                                                                                                \
  BUILTIN bool atomic_##name##_explicit(volatile space atomic_##type *p,                           \
                                        expected_space type *expected, type desired,               \
                                        memory_order success, memory_order failure) {              \
    return atomic_##name##_explicit(p, expected, desired, success, failure, EVERYWHERE);           \
  }                                                                                                \
  BUILTIN bool atomic_##name(volatile space atomic_##type *p, expected_space type *expected,       \
                             type desired) {                                                       \
    return atomic_##name##_explicit(p, expected, desired, SEQ_CST, SEQ_CST);                       \
  }

#define COMPARE_EXCHANGES(space, type, expected_space)                                             \
  COMPARE_EXCHANGE(compare_exchange_strong, space, type, expected_space)                           \
  COMPARE_EXCHANGE(compare_exchange_weak, space, type, expected_space)

// ---- all of it ----

#define EVERY_TYPE(space, type)                                                                    \
  LOAD(space, type)                                                                                \
  STORE(space, type)                                                                               \
  READ_MODIFY_WRITE(exchange, space, type, type)                                                   \
  COMPARE_EXCHANGES(space, type, global)                                                           \
  COMPARE_EXCHANGES(space, type, local)                                                            \
  COMPARE_EXCHANGES(space, type, private)                                                          \
  COMPARE_EXCHANGES(space, type, generic)

#define EVERY_FUNCTION(space)                                                                      \
  EVERY_TYPE(space, int)                                                                           \
  EVERY_TYPE(space, uint)                                                                          \
  EVERY_TYPE(space, long)                                                                          \
  EVERY_TYPE(space, ulong)                                                                         \
  EVERY_TYPE(space, float)                                                                         \
  EVERY_TYPE(space, double)                                                                        \
  INTEGER_OPERATIONS(space, int, int)                                                              \
  INTEGER_OPERATIONS(space, uint, uint)                                                            \
  INTEGER_OPERATIONS(space, long, long)                                                            \
  INTEGER_OPERATIONS(space, ulong, ulong)                                                          \
  INTEGER_OPERATIONS(space, long, ulong)                                                           \
  INTEGER_OPERATIONS(space, ulong, long)                                                           \
  LOAD(space, half)                                                                                \
  STORE(space, half)                                                                               \
  READ_MODIFY_WRITE(exchange, space, half, half)                                                   \
  FLOATING_POINT_OPERATIONS(space, half)                                                           \
  FLOATING_POINT_OPERATIONS(space, float)                                                          \
  FLOATING_POINT_OPERATIONS(space, double)                                                         \
  FLAG(space)

#define FLAG(space)                                                                                \
  BUILTIN bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p,                    \
                                                 memory_order order) {                             \
    return __opencl_atomic_exchange(OBJECT(space, flag, p), 1, order, EVERYWHERE) != 0;            \
  }                                                                                                \
  BUILTIN bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p,                    \
                                                 memory_order order, memory_scope scope) {         \
    return __opencl_atomic_exchange(OBJECT(space, flag, p), 1, order, reach_of(scope)) != 0;       \
  }                                                                                                \
  BUILTIN bool atomic_flag_test_and_set(volatile space atomic_flag *p) {                           \
    return __opencl_atomic_exchange(OBJECT(space, flag, p), 1, SEQ_CST, EVERYWHERE) != 0;          \
  }                                                                                                \
  BUILTIN void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order) {     \
    __opencl_atomic_store(OBJECT(space, flag, p), 0, order, EVERYWHERE);                           \
  }                                                                                                \
  BUILTIN void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order,       \
                                          memory_scope scope) {                                    \
    __opencl_atomic_store(OBJECT(space, flag, p), 0, order, reach_of(scope));                      \
  }                                                                                                \
  BUILTIN void atomic_flag_clear(volatile space atomic_flag *p) {                                  \
    __opencl_atomic_store(OBJECT(space, flag, p), 0, SEQ_CST, EVERYWHERE);                         \
  }

EVERY_FUNCTION(global)
EVERY_FUNCTION(local)
EVERY_FUNCTION(generic)
