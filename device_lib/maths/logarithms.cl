// Logarithms of float. libclc uses tables, which need three gathers per vector when vectorized, and
// divides for arguments near 1. These versions use a polynomial.
//
// Maximum errors over all floats: 0.95 ulp (log), 1.8 ulp (log2) and 2.5 ulp (log10); without fused
// multiply-adds 1.1, 2.5 and 2.6 ulp. OpenCL allows 3 ulp.
#include "device_lib/lockstep_builtins.h"

#pragma OPENCL FP_CONTRACT ON

// x = 2^exponent * (1 + rest), with rest between -1/3 and 1/3.
struct Parts {
  float exponent;
  float log_of_rest; // natural
};

static struct Parts parts_of(float x) {
  bool is_small = x < 0x1p-126f; // x may be subnormal
  x = is_small ? x * 0x1p23f : x;
  int bits = as_int(x), exponent = (bits - as_int(0x1.555556p-1f)) & 0xff800000;
  float rest = as_float(bits - exponent) - 1.0f;
  // (log(1 + rest) - rest) / rest^2, a polynomial that minimizes the largest relative error of the
  // logarithm.
  float p = -0x1.093202p-3f;
  p = p * rest + 0x1.1ed15ep-3f;
  p = p * rest - 0x1.f25dccp-4f;
  p = p * rest + 0x1.1ebe62p-3f;
  p = p * rest - 0x1.55a754p-3f;
  p = p * rest + 0x1.99d1f4p-3f;
  p = p * rest - 0x1.fffe84p-3f;
  p = p * rest + 0x1.555502p-2f;
  p = p * rest - 0.5f;
  struct Parts parts = {(float)(exponent >> 23) - (is_small ? 23.0f : 0.0f),
                        rest * rest * p + rest};
  return parts;
}

// Returns `result`, or the limit if x has no finite logarithm.
static float or_limit(float result, float x) {
  result = x < INFINITY ? result : x; // infinity or NaN
  return x > 0.0f ? result : x == 0.0f ? -INFINITY : NAN;
}

BUILTIN PURE float log(float x) {
  struct Parts of = parts_of(x);
  return or_limit(of.exponent * 0x1.62e430p-1f + of.log_of_rest, x);
}

BUILTIN PURE float log2(float x) {
  struct Parts of = parts_of(x);
  return or_limit(of.log_of_rest * 0x1.715476p+0f + of.exponent, x);
}

// log10(2) in two parts, so that powers of ten have integer logarithms.
BUILTIN PURE float log10(float x) {
  struct Parts of = parts_of(x);
  float low = of.log_of_rest * 0x1.bcb7b2p-2f + of.exponent * -0x1.ec10c0p-27f;
  return or_limit(of.exponent * 0x1.344136p-2f + low, x);
}

// ---- vectors, element by element: the compiler splits them into lanes anyway ----

#define UNARY(name, n, first, second)                                                              \
  BUILTIN PURE float##n name(float##n x) {                                                         \
    return (float##n)(name(x.first), name(x.second));                                              \
  }
#define EVERY_WIDTH(name)                                                                          \
  UNARY(name, 2, x, y)                                                                             \
  UNARY(name, 3, xy, z)                                                                            \
  UNARY(name, 4, lo, hi)                                                                           \
  UNARY(name, 8, lo, hi)                                                                           \
  UNARY(name, 16, lo, hi)
EVERY_WIDTH(log)
EVERY_WIDTH(log2)
EVERY_WIDTH(log10)

// libclc's half_ versions use the same tables, so these replace them.
#define HALF(name)                                                                                 \
  BUILTIN PURE float half_##name(float x) {                                                        \
    return name(x);                                                                                \
  }                                                                                                \
  EVERY_WIDTH(half_##name)
HALF(log)
HALF(log2)
HALF(log10)
