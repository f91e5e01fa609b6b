// The reciprocal square root of float. The compiler uses the processor's estimate if there is one,
// and refines it to about 1 ulp (prepare_code/lower_reciprocal_sqrt.h). libclc uses a square root
// and a division, which cost several times as much.
#include "device_lib/lockstep_builtins.h"

PURE float __lockstep_reciprocal_sqrt(float x);

#define VECTOR(name, n, first, second)                                                             \
  BUILTIN PURE float##n name(float##n x) {                                                         \
    return (float##n)(name(x.first), name(x.second));                                              \
  }
#define EVERY_WIDTH(name)                                                                          \
  BUILTIN PURE float name(float x) {                                                               \
    return __lockstep_reciprocal_sqrt(x);                                                          \
  }                                                                                                \
  VECTOR(name, 2, x, y)                                                                            \
  VECTOR(name, 3, xy, z)                                                                           \
  VECTOR(name, 4, lo, hi)                                                                          \
  VECTOR(name, 8, lo, hi)                                                                          \
  VECTOR(name, 16, lo, hi)
EVERY_WIDTH(rsqrt)
EVERY_WIDTH(half_rsqrt)
EVERY_WIDTH(native_rsqrt)
