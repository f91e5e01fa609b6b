// min and max of float and double, which need not handle NaN (OpenCL C 6.15.4): one instruction
// each. libclc uses fmin and fmax, which define the result for NaN.
#include "device_lib/lockstep_builtins.h"

#define EXTREMES(type, n)                                                                          \
  BUILTIN PURE type##n max(type##n x, type##n y) {                                                 \
    return x < y ? y : x;                                                                          \
  }                                                                                                \
  BUILTIN PURE type##n min(type##n x, type##n y) {                                                 \
    return y < x ? y : x;                                                                          \
  }
#define WITH_ONE(type, n)                                                                          \
  EXTREMES(type, n)                                                                                \
  BUILTIN PURE type##n max(type##n x, type y) {                                                    \
    return max(x, (type##n)y);                                                                     \
  }                                                                                                \
  BUILTIN PURE type##n min(type##n x, type y) {                                                    \
    return min(x, (type##n)y);                                                                     \
  }
#define EACH_WIDTH(type)                                                                           \
  EXTREMES(type, )                                                                                 \
  WITH_ONE(type, 2)                                                                                \
  WITH_ONE(type, 3)                                                                                \
  WITH_ONE(type, 4)                                                                                \
  WITH_ONE(type, 8)                                                                                \
  WITH_ONE(type, 16)
EACH_WIDTH(float)
EACH_WIDTH(double)
