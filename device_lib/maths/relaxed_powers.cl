// Powers of float for calls that may be approximate (-cl-fast-relaxed-math,
// -cl-unsafe-math-optimizations): exp2(y * log2(x)), as OpenCL C's tables for these options define
// them. relax-math substitutes them for pow and powr, which carry more bits in intermediate
// results.
#include "device_lib/lockstep_builtins.h"

#define POWERS(n, int_type)                                                           \
  BUILTIN PURE float##n __lockstep_relaxed_powr(float##n x, float##n y) {                          \
    return exp2(y * log2(x));                                                                      \
  }                                                                                                \
  BUILTIN PURE float##n __lockstep_relaxed_pow(float##n x, float##n y) {                           \
    const float##n size = exp2(y * log2(fabs(x)));                                                 \
    const float##n half_of_y = y * 0.5f;                                                           \
    const int_type is_negative = x < 0.0f && half_of_y != floor(half_of_y); /* y is odd or not an integer */ \
    return y == 0.0f ? (float##n)1.0f : is_negative ? -size : size;                                \
  }
POWERS(, int)
POWERS(2, int2)
POWERS(3, int3)
POWERS(4, int4)
POWERS(8, int8)
POWERS(16, int16)
