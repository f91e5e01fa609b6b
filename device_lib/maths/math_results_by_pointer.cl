// Math functions with a second result (OpenCL C 6.15.2) for pointers to the generic address space;
// libclc has those for named address spaces. The second result goes through a private variable,
// which inlining removes.
#include "device_lib/lockstep_builtins.h"

#define BY_POINTER_1(name, type, second)                                                           \
  BUILTIN type name(type x, private second *result);                                               \
  BUILTIN type name(type x, generic second *result) {                                              \
    second value;                                                                                  \
    type first = name(x, &value);                                                                  \
    *result = value;                                                                               \
    return first;                                                                                  \
  }

#define BY_POINTER_2(name, type, second)                                                           \
  BUILTIN type name(type x, type y, private second *result);                                       \
  BUILTIN type name(type x, type y, generic second *result) {                                      \
    second value;                                                                                  \
    type first = name(x, y, &value);                                                               \
    *result = value;                                                                               \
    return first;                                                                                  \
  }

#define EVERY_FUNCTION(type, integer)                                                              \
  BY_POINTER_1(fract, type, type)                                                                  \
  BY_POINTER_1(modf, type, type)                                                                   \
  BY_POINTER_1(sincos, type, type)                                                                 \
  BY_POINTER_1(frexp, type, integer)                                                               \
  BY_POINTER_1(lgamma_r, type, integer)                                                            \
  BY_POINTER_2(remquo, type, integer)

#define EVERY_WIDTH(type)                                                                          \
  EVERY_FUNCTION(type, int)                                                                        \
  EVERY_FUNCTION(type##2, int2)                                                                    \
  EVERY_FUNCTION(type##3, int3)                                                                    \
  EVERY_FUNCTION(type##4, int4)                                                                    \
  EVERY_FUNCTION(type##8, int8)                                                                    \
  EVERY_FUNCTION(type##16, int16)

EVERY_WIDTH(float)
EVERY_WIDTH(double)
