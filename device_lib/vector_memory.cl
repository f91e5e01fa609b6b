// vloadn and vstoren (OpenCL C 6.15.7) for address spaces that libclc lacks. libclc's target uses
// the number of our generic address space for constant memory, and has no generic pointers to store
// through.
#include "device_lib/lockstep_builtins.h"

// A vector with the alignment of its elements, which these functions accept.
#define UNALIGNED(type, n) type##n##_at_##type
#define DECLARE_UNALIGNED(type, n)                                                                 \
  typedef type##n UNALIGNED(type, n) __attribute__((aligned(sizeof(type))));

#define VLOAD(space, type, n)                                                                      \
  BUILTIN type##n vload##n(size_t i, const space type *p) {                                        \
    return *(const space UNALIGNED(type, n) *)(p + i * n);                                         \
  }
#define VSTORE(space, type, n)                                                                     \
  BUILTIN void vstore##n(type##n value, size_t i, space type *p) {                                 \
    *(space UNALIGNED(type, n) *)(p + i * n) = value;                                              \
  }

// Vectors of 3 occupy 4 elements in memory, but these functions may access only 3.
#define VLOAD3(space, type)                                                                        \
  BUILTIN type##3 vload3(size_t i, const space type *p) {                                          \
    p += i * 3;                                                                                    \
    return (type##3)(p[0], p[1], p[2]);                                                            \
  }
#define VSTORE3(space, type)                                                                       \
  BUILTIN void vstore3(type##3 value, size_t i, space type *p) {                                   \
    p += i * 3;                                                                                    \
    p[0] = value.x;                                                                                \
    p[1] = value.y;                                                                                \
    p[2] = value.z;                                                                                \
  }

#define VLOADS(space, type)                                                                        \
  VLOAD(space, type, 2)                                                                            \
  VLOAD3(space, type)                                                                              \
  VLOAD(space, type, 4)                                                                            \
  VLOAD(space, type, 8)                                                                            \
  VLOAD(space, type, 16)
#define VSTORES(space, type)                                                                       \
  VSTORE(space, type, 2)                                                                           \
  VSTORE3(space, type)                                                                             \
  VSTORE(space, type, 4)                                                                           \
  VSTORE(space, type, 8)                                                                           \
  VSTORE(space, type, 16)

#define EVERY_FUNCTION(type)                                                                       \
  DECLARE_UNALIGNED(type, 2)                                                                       \
  DECLARE_UNALIGNED(type, 4)                                                                       \
  DECLARE_UNALIGNED(type, 8)                                                                       \
  DECLARE_UNALIGNED(type, 16)                                                                      \
  VLOADS(constant, type)                                                                           \
  VLOADS(generic, type)                                                                            \
  VSTORES(generic, type)

FOR_EACH_SCALAR_TYPE(EVERY_FUNCTION)

// libclc has no functions for half.
EVERY_FUNCTION(half)
VLOADS(global, half)
VLOADS(local, half)
VLOADS(private, half)
VSTORES(global, half)
VSTORES(local, half)
VSTORES(private, half)
