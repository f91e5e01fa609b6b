// Replacements for functions of libclc that lose subnormal numbers. libclc is built for a target
// without them, so some of its float functions treat them as zero or return zero. Its ldexp of
// double overflows in the exponent. Our device has subnormals (CL_FP_DENORM).
#include "device_lib/lockstep_builtins.h"

#pragma OPENCL FP_CONTRACT ON

BUILTIN float rint(float x);
BUILTIN double erfc(double x);
BUILTIN double fmod(double x, double y);
BUILTIN double remainder(double x, double y);
BUILTIN double remquo(double x, double y, private int *quotient);
BUILTIN double rootn(double x, int n);

// ---- powers of two: in steps, of which only the last one can leave the normal range and round
// ----

// Returns 2^n, for exponents n of normal numbers.
static float float_power(int n) {
  return as_float((n + 127) << 23);
}
static double double_power(int n) {
  return as_double((long)(n + 1023) << 52);
}

// The downward steps stop before the subnormal range, so the last one rounds once.
#define LDEXP(type, power, largest, smallest, digits)                                              \
  BUILTIN PURE type ldexp(type x, int n) {                                                         \
    const int down = smallest + digits;                                                            \
    int step1 = n > largest ? largest : n < smallest ? down : 0;                                   \
    n = n > largest ? n - largest : n < smallest ? n - down : n;                                   \
    int step2 = n > largest ? largest : n < smallest ? down : 0;                                   \
    n = n > largest ? n - largest : n < smallest ? n - down : n;                                   \
    n = n > largest ? largest : n < smallest ? smallest : n;                                       \
    return x * power(step1) * power(step2) * power(n);                                             \
  }
LDEXP(float, float_power, 127, -126, 24)
LDEXP(double, double_power, 1023, -1022, 53)

// ---- exponentials: reduction to [-1/2, 1/2], a polynomial, and a scaling in two halves ----

// Returns x * 2^n for n from -152 to 130 and x near 1.
static float scaled(float x, int n) {
  int half_way = n >> 1;
  return x * float_power(half_way) * float_power(n - half_way);
}

// Clamps the exponent. NaN is returned unchanged, because both comparisons are false.
static float limited(float x, float low, float high) {
  return x < low ? low : x > high ? high : x;
}

BUILTIN PURE float exp2(float x) {
  float limited_x = limited(x, -151.0f, 129.0f);
  float n = rint(limited_x);
  float f = limited_x - n; // exact
  float p = 0x1.ffcbfcp-17f;
  p = p * f + 0x1.430912p-13f;
  p = p * f + 0x1.5d87fep-10f;
  p = p * f + 0x1.3b2ab6p-7f;
  p = p * f + 0x1.c6b08ep-5f;
  p = p * f + 0x1.ebfbe0p-3f;
  p = p * f + 0x1.62e430p-1f;
  p = p * f + 1.0f;
  return x != x ? x : scaled(p, (int)n);
}

BUILTIN PURE float exp(float x) {
  float limited_x = limited(x, -105.0f, 90.0f);
  float n = rint(limited_x * 0x1.715476p+0f);
  // ln 2 in two parts. The first part has so few digits that its product with n is exact.
  float r = (limited_x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return x != x ? x : scaled(p, (int)n);
}

// ---- the other functions through double, where float's subnormals are normal numbers ----

BUILTIN PURE float erfc(float x) {
  return (float)erfc((double)x);
}
BUILTIN PURE float rootn(float x, int n) {
  return (float)rootn((double)x, n);
}

// Remainders of floats are floats, so nothing is rounded.
BUILTIN PURE float fmod(float x, float y) {
  return (float)fmod((double)x, (double)y);
}
BUILTIN PURE float remainder(float x, float y) {
  return (float)remainder((double)x, (double)y);
}
BUILTIN float remquo(float x, float y, private int *quotient) {
  return (float)remquo((double)x, (double)y, quotient);
}

// ---- vectors, element by element: the compiler splits them into lanes anyway ----

#define UNARY(name, type, n, first, second)                                                        \
  BUILTIN PURE type##n name(type##n x) {                                                           \
    return (type##n)(name(x.first), name(x.second));                                               \
  }
#define BINARY(name, type, other, n, first, second)                                                \
  BUILTIN PURE type##n name(type##n x, other##n y) {                                               \
    return (type##n)(name(x.first, y.first), name(x.second, y.second));                            \
  }
#define REMQUO(n, space, first, second, first_n, second_n)                                         \
  BUILTIN float##n remquo(float##n x, float##n y, space int##n *quotient) {                        \
    int##first_n q1;                                                                               \
    int##second_n q2;                                                                              \
    float##n result = (float##n)(remquo(x.first, y.first, (private int##first_n *)&q1),            \
                                 remquo(x.second, y.second, (private int##second_n *)&q2));        \
    *quotient = (int##n)(q1, q2);                                                                  \
    return result;                                                                                 \
  }
#define REMQUO_SCALAR(space)                                                                       \
  BUILTIN float remquo(float x, float y, space int *quotient) {                                    \
    int q;                                                                                         \
    float result = remquo(x, y, (private int *)&q);                                                \
    *quotient = q;                                                                                 \
    return result;                                                                                 \
  }

#define EVERY_FUNCTION(n, first, second)                                                           \
  UNARY(exp, float, n, first, second)                                                              \
  UNARY(exp2, float, n, first, second)                                                             \
  UNARY(erfc, float, n, first, second)                                                             \
  BINARY(fmod, float, float, n, first, second)                                                     \
  BINARY(remainder, float, float, n, first, second)                                                \
  BINARY(rootn, float, int, n, first, second)                                                      \
  BINARY(ldexp, float, int, n, first, second)                                                      \
  BINARY(ldexp, double, int, n, first, second)                                                     \
  BUILTIN PURE float##n ldexp(float##n x, int k) {                                                 \
    return ldexp(x, (int##n)k);                                                                    \
  }                                                                                                \
  BUILTIN PURE double##n ldexp(double##n x, int k) {                                               \
    return ldexp(x, (int##n)k);                                                                    \
  }

EVERY_FUNCTION(2, x, y)
EVERY_FUNCTION(3, xy, z)
EVERY_FUNCTION(4, lo, hi)
EVERY_FUNCTION(8, lo, hi)
EVERY_FUNCTION(16, lo, hi)

#define REMQUO_VECTORS(space)                                                                      \
  REMQUO(2, space, x, y, , )                                                                       \
  REMQUO(3, space, xy, z, 2, )                                                                     \
  REMQUO(4, space, lo, hi, 2, 2)                                                                   \
  REMQUO(8, space, lo, hi, 4, 4)                                                                   \
  REMQUO(16, space, lo, hi, 8, 8)
REMQUO_VECTORS(private)
REMQUO_VECTORS(global)
REMQUO_VECTORS(local)
REMQUO_SCALAR(global)
REMQUO_SCALAR(local)
