// Math functions on half (cl_khr_fp16; OpenCL C 6.15.2), which libclc does not have.
//
// Most compute in float and round once. A float has more than twice the bits of a half, so the
// error of libclc's functions is far below half an ulp of the result. Sums, quotients and roots are
// correctly rounded. Functions that only move or compare bits compute in half.
#include "device_lib/half/half_rounding.h"

#define EACH_WIDTH(macro, ...)                                                                     \
  macro(, __VA_ARGS__) macro(2, __VA_ARGS__) macro(3, __VA_ARGS__) macro(4, __VA_ARGS__)           \
      macro(8, __VA_ARGS__) macro(16, __VA_ARGS__)

#define BY_FLOAT_1(n, name)                                                                        \
  BUILTIN PURE half##n name(half##n x) {                                                           \
    return narrowed(name(widened(x)));                                                             \
  }
#define BY_FLOAT_2(n, name)                                                                        \
  BUILTIN PURE half##n name(half##n x, half##n y) {                                                \
    return narrowed(name(widened(x), widened(y)));                                                 \
  }
#define BY_FLOAT_AND_INT(n, name)                                                                  \
  BUILTIN PURE half##n name(half##n x, int##n y) {                                                 \
    return narrowed(name(widened(x), y));                                                          \
  }

EACH_WIDTH(BY_FLOAT_1, acos)
EACH_WIDTH(BY_FLOAT_1, acosh)
EACH_WIDTH(BY_FLOAT_1, acospi)
EACH_WIDTH(BY_FLOAT_1, asin)
EACH_WIDTH(BY_FLOAT_1, asinh)
EACH_WIDTH(BY_FLOAT_1, asinpi)
EACH_WIDTH(BY_FLOAT_1, atan)
EACH_WIDTH(BY_FLOAT_1, atanh)
EACH_WIDTH(BY_FLOAT_1, atanpi)
EACH_WIDTH(BY_FLOAT_1, cbrt)
EACH_WIDTH(BY_FLOAT_1, cos)
EACH_WIDTH(BY_FLOAT_1, cosh)
EACH_WIDTH(BY_FLOAT_1, cospi)
EACH_WIDTH(BY_FLOAT_1, erf)
EACH_WIDTH(BY_FLOAT_1, erfc)
EACH_WIDTH(BY_FLOAT_1, exp)
EACH_WIDTH(BY_FLOAT_1, exp10)
EACH_WIDTH(BY_FLOAT_1, exp2)
EACH_WIDTH(BY_FLOAT_1, expm1)
EACH_WIDTH(BY_FLOAT_1, lgamma)
EACH_WIDTH(BY_FLOAT_1, log)
EACH_WIDTH(BY_FLOAT_1, log10)
EACH_WIDTH(BY_FLOAT_1, log1p)
EACH_WIDTH(BY_FLOAT_1, log2)
EACH_WIDTH(BY_FLOAT_1, logb)
EACH_WIDTH(BY_FLOAT_1, rsqrt)
EACH_WIDTH(BY_FLOAT_1, sin)
EACH_WIDTH(BY_FLOAT_1, sinh)
EACH_WIDTH(BY_FLOAT_1, sinpi)
EACH_WIDTH(BY_FLOAT_1, tan)
EACH_WIDTH(BY_FLOAT_1, tanh)
EACH_WIDTH(BY_FLOAT_1, tanpi)
EACH_WIDTH(BY_FLOAT_1, tgamma)

EACH_WIDTH(BY_FLOAT_2, atan2)
EACH_WIDTH(BY_FLOAT_2, atan2pi)
EACH_WIDTH(BY_FLOAT_2, fmod)
EACH_WIDTH(BY_FLOAT_2, hypot)
EACH_WIDTH(BY_FLOAT_2, maxmag)
EACH_WIDTH(BY_FLOAT_2, minmag)
EACH_WIDTH(BY_FLOAT_2, pow)
EACH_WIDTH(BY_FLOAT_2, powr)
EACH_WIDTH(BY_FLOAT_2, remainder)

EACH_WIDTH(BY_FLOAT_AND_INT, ldexp)
EACH_WIDTH(BY_FLOAT_AND_INT, pown)
EACH_WIDTH(BY_FLOAT_AND_INT, rootn)

// ---- operations that LLVM has for every type: one instruction on processors with half arithmetic
// ----

#define ELEMENTWISE_1(n, name, operation)                                                          \
  BUILTIN PURE half##n name(half##n x) {                                                           \
    return __builtin_elementwise_##operation(x);                                                   \
  }
#define ELEMENTWISE_2(n, name, operation)                                                          \
  BUILTIN PURE half##n name(half##n x, half##n y) {                                                \
    return __builtin_elementwise_##operation(x, y);                                                \
  }
EACH_WIDTH(ELEMENTWISE_1, ceil, ceil)
EACH_WIDTH(ELEMENTWISE_1, fabs, abs)
EACH_WIDTH(ELEMENTWISE_1, floor, floor)
EACH_WIDTH(ELEMENTWISE_1, rint, rint)
EACH_WIDTH(ELEMENTWISE_1, round, round)
EACH_WIDTH(ELEMENTWISE_1, sqrt, sqrt)
EACH_WIDTH(ELEMENTWISE_1, trunc, trunc)
EACH_WIDTH(ELEMENTWISE_2, copysign, copysign)
EACH_WIDTH(ELEMENTWISE_2, fmax, maxnum)
EACH_WIDTH(ELEMENTWISE_2, fmin, minnum)

#define ELEMENTWISE_3(n, name, operation)                                                          \
  BUILTIN PURE half##n name(half##n x, half##n y, half##n z) {                                     \
    return __builtin_elementwise_##operation(x, y, z);                                             \
  }
EACH_WIDTH(ELEMENTWISE_3, fma, fma)

#define MAD(n, _)                                                                                  \
  BUILTIN PURE half##n mad(half##n x, half##n y, half##n z) {                                      \
    return x * y + z;                                                                              \
  }
EACH_WIDTH(MAD, _)

// A scalar comparison yields 0 or 1, a vector comparison 0 or -1; both work as a condition.
#define FDIM(n, _)                                                                                 \
  BUILTIN PURE half##n fdim(half##n x, half##n y) {                                                \
    return x <= y ? (half##n)0 : x - y;                                                            \
  }
EACH_WIDTH(FDIM, _)

#define WITH_ONE(n, name)                                                                          \
  BUILTIN PURE half##n name(half##n x, half y) {                                                   \
    return name(x, (half##n)y);                                                                    \
  }
#define EACH_VECTOR(macro, ...)                                                                    \
  macro(2, __VA_ARGS__) macro(3, __VA_ARGS__) macro(4, __VA_ARGS__) macro(8, __VA_ARGS__)          \
      macro(16, __VA_ARGS__)
EACH_VECTOR(WITH_ONE, fmax)
EACH_VECTOR(WITH_ONE, fmin)

#define LDEXP_BY_ONE(n, _)                                                                         \
  BUILTIN PURE half##n ldexp(half##n x, int k) {                                                   \
    return ldexp(x, (int##n)k);                                                                    \
  }
EACH_VECTOR(LDEXP_BY_ONE, _)

#define ILOGB(n, _)                                                                                \
  BUILTIN PURE int##n ilogb(half##n x) {                                                           \
    return ilogb(widened(x));                                                                      \
  }
EACH_WIDTH(ILOGB, _)

// A quiet NaN with the code in the lower bits.
#define QUIET_NAN(n, _)                                                                            \
  BUILTIN PURE half##n nan(ushort##n code) {                                                       \
    return as_half##n((ushort##n)((code & (ushort##n)0x1ff) | (ushort##n)0x7e00));                 \
  }
EACH_WIDTH(QUIET_NAN, _)

// Maps halves to integers in the same order: negative ones are reversed, and both zeros become 0.
#define NEXTAFTER(n, _)                                                                            \
  static PURE short##n BUILTIN rank(half##n x) {                                                   \
    const short##n bits = as_short##n(x), size = (short##n)(bits & (short##n)0x7fff);              \
    return bits < (short##n)0 ? (short##n)-size : size;                                            \
  }                                                                                                \
  BUILTIN PURE half##n nextafter(half##n x, half##n y) {                                           \
    const short##n from = rank(x), to = rank(y);                                                   \
    const short##n next = from < to ? (short##n)(from + (short##n)1)                              \
                                    : (short##n)(from - (short##n)1);                              \
    const short##n size = next < (short##n)0 ? (short##n)-next : next;                             \
    const short##n sign = (from | next) & (short##n)(short)0x8000;                                 \
    const short##n bits = size | sign;                                                             \
    half##n result = from == to ? y : as_half##n(bits);                                            \
    return ((x != x) | (y != y)) ? x + y : result;                                                 \
  }
EACH_WIDTH(NEXTAFTER, _)

// ---- functions with a second result, for pointers to each address space ----

#define SECOND_HALF(n, name, space)                                                                \
  BUILTIN half##n name(half##n x, space half##n *second) {                                         \
    float##n other;                                                                                \
    float##n result = name(widened(x), (private float##n *)&other);                                \
    *second = narrowed(other);                                                                     \
    return narrowed(result);                                                                       \
  }
#define SECOND_INT(n, name, space)                                                                 \
  BUILTIN half##n name(half##n x, space int##n *second) {                                          \
    int##n other;                                                                                  \
    float##n result = name(widened(x), (private int##n *)&other);                                  \
    *second = other;                                                                               \
    return narrowed(result);                                                                       \
  }
#define REMQUO(n, space)                                                                           \
  BUILTIN half##n remquo(half##n x, half##n y, space int##n *second) {                             \
    int##n other;                                                                                  \
    float##n result = remquo(widened(x), widened(y), (private int##n *)&other);                    \
    *second = other;                                                                               \
    return narrowed(result);                                                                       \
  }
// A float just below 1 would round to 1, which a fraction must not be.
#define FRACT(n, space)                                                                            \
  BUILTIN half##n fract(half##n x, space half##n *whole) {                                         \
    float##n below;                                                                                \
    half##n result = narrowed(fract(widened(x), (private float##n *)&below));                      \
    *whole = narrowed(below);                                                                      \
    return result == (half##n)1 ? (half##n)0x1.ffcp-1h : result;                                   \
  }
#define BY_POINTER(space)                                                                          \
  EACH_WIDTH(SECOND_HALF, modf, space)                                                             \
  EACH_WIDTH(SECOND_HALF, sincos, space)                                                           \
  EACH_WIDTH(SECOND_INT, frexp, space)                                                             \
  EACH_WIDTH(SECOND_INT, lgamma_r, space)                                                          \
  EACH_WIDTH(REMQUO, space)                                                                        \
  EACH_WIDTH(FRACT, space)

// libclc defines these with private pointers to float, which the OpenCL C 3.0 header does not
// declare.
#define PRIVATE_FLOATS(n, _)                                                                       \
  BUILTIN float##n modf(float##n x, private float##n *);                                           \
  BUILTIN float##n sincos(float##n x, private float##n *);                                         \
  BUILTIN float##n fract(float##n x, private float##n *);                                          \
  BUILTIN float##n frexp(float##n x, private int##n *);                                            \
  BUILTIN float##n lgamma_r(float##n x, private int##n *);                                         \
  BUILTIN float##n remquo(float##n x, float##n y, private int##n *);
EACH_WIDTH(PRIVATE_FLOATS, _)

BY_POINTER(private)
BY_POINTER(global)
BY_POINTER(local)
BY_POINTER(generic)
