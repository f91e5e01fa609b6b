// cl_khr_integer_dot_product: dot products of four bytes, in vectors or packed in an integer. Sums
// fit in 32 bits; only the versions with an accumulator saturate.
#include "device_lib/lockstep_builtins.h"

#define SUM(result, a, b)                                                                          \
  ((result)(a).x * (result)(b).x + (result)(a).y * (result)(b).y + (result)(a).z * (result)(b).z + \
   (result)(a).w * (result)(b).w)

// s, u: signedness of the bytes of the first and the second factor.
#define DOT(kinds, first, second, result)                                                          \
  BUILTIN PURE result dot(first a, second b) {                                                     \
    return SUM(result, a, b);                                                                      \
  }                                                                                                \
  BUILTIN PURE result dot_acc_sat(first a, second b, result c) {                                   \
    return add_sat(dot(a, b), c);                                                                  \
  }                                                                                                \
  BUILTIN PURE result dot_4x8packed_##kinds##_##result(uint a, uint b) {                           \
    return dot(__builtin_astype(a, first), __builtin_astype(b, second));                           \
  }                                                                                                \
  BUILTIN PURE result dot_acc_sat_4x8packed_##kinds##_##result(uint a, uint b, result c) {         \
    return dot_acc_sat(__builtin_astype(a, first), __builtin_astype(b, second), c);                \
  }
DOT(uu, uchar4, uchar4, uint)
DOT(ss, char4, char4, int)
DOT(us, uchar4, char4, int)
DOT(su, char4, uchar4, int)
