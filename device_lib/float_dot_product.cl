// dot of float and double: one product of vectors, whose halves are added. Vectorized across lanes,
// it needs as many multiply-adds as libclc's version. If a work-item keeps the kernel's own
// vectors, it needs one load for each of them. libclc splits its arguments into elements, which
// LLVM then loads one by one.
#include "device_lib/lockstep_builtins.h"

#pragma clang fp contract(fast)

#define DOT(type)                                                                                  \
  BUILTIN PURE type dot(type##2 a, type##2 b) {                                                    \
    const type##2 products = a * b;                                                                \
    return products.x + products.y;                                                                \
  }                                                                                                \
  BUILTIN PURE type dot(type##3 a, type##3 b) {                                                    \
    const type##3 products = a * b;                                                                \
    return products.x + products.y + products.z;                                                   \
  }                                                                                                \
  BUILTIN PURE type dot(type##4 a, type##4 b) {                                                    \
    const type##4 products = a * b;                                                                \
    const type##2 sums = products.lo + products.hi;                                                \
    return sums.x + sums.y;                                                                        \
  }
DOT(float)
DOT(double)
