// Replacements for functions of libclc that are wrong for a few arguments. They call libclc for all
// other arguments: the prefix __libclc_ refers to libclc's function of the remaining name
// (link/link_device_library.h).
#include "device_lib/lockstep_builtins.h"

#define LIBCLC(type, name, mangled, ...)                                                           \
  PURE type libclc_##name(__VA_ARGS__) __asm("__libclc_" mangled)

#define LIBCLC_UNARY(name, mangled)                                                                \
  LIBCLC(float, name##_float, mangled "f", float);                                                 \
  LIBCLC(double, name##_double, mangled "d", double);

// ---- powers: libclc overflows in y * log(x) although the result has a limit ----

LIBCLC(double, pow, "_Z3powdd", double, double);
LIBCLC(double, powr, "_Z4powrdd", double, double);

// Beyond 2^70 every number is an even integer, and every power except that of 1 is 0 or infinite.
// NaN is returned unchanged.
static double limited_exponent(double y) {
  return y > 0x1p70 ? 0x1p70 : y < -0x1p70 ? -0x1p70 : y;
}

BUILTIN PURE double pow(double x, double y) {
  return libclc_pow(x, limited_exponent(y));
}
BUILTIN PURE double powr(double x, double y) {
  return libclc_powr(x, fabs(y) == INFINITY ? y : limited_exponent(y)); // powr(1, inf) is NaN
}

// ---- the sign of zero (C99 F.9, OpenCL C 7.5.1) ----

#define ODD_DOUBLE(name, mangled)                                                                  \
  LIBCLC(double, name, mangled, double);                                                           \
  BUILTIN PURE double name(double x) {                                                             \
    return x == 0 ? x : libclc_##name(x);                                                          \
  }
ODD_DOUBLE(sin, "_Z3sind")
ODD_DOUBLE(tan, "_Z3tand")
ODD_DOUBLE(asin, "_Z4asind")
ODD_DOUBLE(atan, "_Z4atand")
ODD_DOUBLE(expm1, "_Z5expm1d")
ODD_DOUBLE(erf, "_Z3erfd")

double libclc_sincos(double x, private double *cosine) __asm("__libclc__Z6sincosdPd");
BUILTIN double sincos(double x, private double *cosine) {
  double sine = libclc_sincos(x, cosine);
  return x == 0 ? x : sine;
}

// The result is less than 1, even if the difference rounds up.
#define FRACTION(type, below_1)                                                                    \
  BUILTIN type fract(type x, private type *whole) {                                                \
    *whole = floor(x);                                                                             \
    type part = isnan(x) ? x : fmin(x - *whole, below_1);                                          \
    return x == 0 || isinf(x) ? copysign((type)0, x) : part;                                       \
  }
FRACTION(float, 0x1.fffffep-1f)
FRACTION(double, 0x1.fffffffffffffp-1)

LIBCLC_UNARY(sinpi, "_Z5sinpi")
LIBCLC_UNARY(cospi, "_Z5cospi")
LIBCLC_UNARY(tanpi, "_Z5tanpi")
LIBCLC_UNARY(asinpi, "_Z6asinpi")
LIBCLC_UNARY(atanpi, "_Z6atanpi")

// From 2^24 (double: 2^53) on, every number is even.
static bool is_odd_float(float integer) {
  return fabs(integer) < 0x1p24f && ((int)integer & 1);
}
static bool is_odd_double(double integer) {
  return fabs(integer) < 0x1p53 && ((long)integer & 1);
}

#define SIGNS_OF_ZERO(type)                                                                        \
  BUILTIN PURE type sinpi(type x) {                                                                \
    type result = libclc_sinpi_##type(x);                                                          \
    return result == 0 ? copysign((type)0, x) : result;                                            \
  }                                                                                                \
  BUILTIN PURE type cospi(type x) {                                                                \
    type result = libclc_cospi_##type(x);                                                          \
    return result == 0 ? (type)0 : result;                                                         \
  }                                                                                                \
  BUILTIN PURE type tanpi(type x) {                                                                \
    type result = libclc_tanpi_##type(x);                                                          \
    return result == 0 ? copysign((type)0, is_odd_##type(x) ? -x : x) : result;                    \
  }                                                                                                \
  BUILTIN PURE type asinpi(type x) {                                                               \
    return x == 0 ? x : libclc_asinpi_##type(x);                                                   \
  }                                                                                                \
  BUILTIN PURE type atanpi(type x) {                                                               \
    return x == 0 ? x : libclc_atanpi_##type(x);                                                   \
  }
SIGNS_OF_ZERO(float)
SIGNS_OF_ZERO(double)

// libclc computes the maximum of the difference and 0, which may return either of -0 and 0.
#define DIFFERENCE(type)                                                                           \
  BUILTIN PURE type fdim(type x, type y) {                                                         \
    return x <= y ? (type)0 : x - y;                                                               \
  }
DIFFERENCE(float)
DIFFERENCE(double)

// ---- lgamma: libclc divides by a product of two numbers that are as small as x. At negative
// infinity it returns a negative result, but C99 F.9.5.3 requires positive infinity ----

// Below this argument, the next term, 0.58 x, is negligible.
#define LEAST_GAMMA_ARGUMENT 0x1p-40f

BUILTIN float log(float x);
LIBCLC(float, lgamma, "_Z6lgammaf", float);
float libclc_lgamma_r(float x, private int *sign) __asm("__libclc__Z8lgamma_rfPi");

BUILTIN PURE float lgamma(float x) {
  if (fabs(x) < LEAST_GAMMA_ARGUMENT)
    return -log(fabs(x));
  return fabs(x) == INFINITY ? INFINITY : libclc_lgamma(x);
}
BUILTIN float lgamma_r(float x, private int *sign) {
  float result = libclc_lgamma_r(x, sign);
  if (fabs(x) < LEAST_GAMMA_ARGUMENT)
    return -log(fabs(x));
  return fabs(x) == INFINITY ? INFINITY : result;
}

// ---- vectors, element by element: the compiler splits them into lanes anyway ----

#define UNARY(name, type, n, first, second)                                                        \
  BUILTIN PURE type##n name(type##n x) {                                                           \
    return (type##n)(name(x.first), name(x.second));                                               \
  }
#define BINARY(name, type, n, first, second)                                                       \
  BUILTIN PURE type##n name(type##n x, type##n y) {                                                \
    return (type##n)(name(x.first, y.first), name(x.second, y.second));                            \
  }
#define BY_POINTER(name, type, second_type, space, n, first, second, first_n, second_n)            \
  BUILTIN type##n name(type##n x, space second_type##n *to) {                                      \
    second_type##first_n to1;                                                                      \
    second_type##second_n to2;                                                                     \
    type##n result = (type##n)(name(x.first, (private second_type##first_n *)&to1),                \
                               name(x.second, (private second_type##second_n *)&to2));             \
    *to = (second_type##n)(to1, to2);                                                              \
    return result;                                                                                 \
  }
#define BY_POINTER_SCALAR(name, type, second_type, space)                                          \
  BUILTIN type name(type x, space second_type *to) {                                               \
    second_type value;                                                                             \
    type result = name(x, (private second_type *)&value);                                          \
    *to = value;                                                                                   \
    return result;                                                                                 \
  }
#define UNARY_OF_TYPE(type, n, first, second)                                                      \
  UNARY(sinpi, type, n, first, second)                                                             \
  UNARY(cospi, type, n, first, second)                                                             \
  UNARY(tanpi, type, n, first, second)                                                             \
  UNARY(asinpi, type, n, first, second)                                                            \
  UNARY(atanpi, type, n, first, second)                                                            \
  BINARY(fdim, type, n, first, second)
#define EVERY_FUNCTION(n, first, second)                                                           \
  UNARY_OF_TYPE(float, n, first, second)                                                           \
  UNARY_OF_TYPE(double, n, first, second)                                                          \
  UNARY(lgamma, float, n, first, second)                                                           \
  UNARY(sin, double, n, first, second)                                                             \
  UNARY(tan, double, n, first, second)                                                             \
  UNARY(asin, double, n, first, second)                                                            \
  UNARY(atan, double, n, first, second)                                                            \
  UNARY(expm1, double, n, first, second)                                                           \
  UNARY(erf, double, n, first, second)                                                             \
  BINARY(pow, double, n, first, second)                                                            \
  BINARY(powr, double, n, first, second)

EVERY_FUNCTION(2, x, y)
EVERY_FUNCTION(3, xy, z)
EVERY_FUNCTION(4, lo, hi)
EVERY_FUNCTION(8, lo, hi)
EVERY_FUNCTION(16, lo, hi)

#define BY_POINTER_VECTORS(name, type, second_type, space)                                         \
  BY_POINTER(name, type, second_type, space, 2, x, y, , )                                          \
  BY_POINTER(name, type, second_type, space, 3, xy, z, 2, )                                        \
  BY_POINTER(name, type, second_type, space, 4, lo, hi, 2, 2)                                      \
  BY_POINTER(name, type, second_type, space, 8, lo, hi, 4, 4)                                      \
  BY_POINTER(name, type, second_type, space, 16, lo, hi, 8, 8)
#define EVERY_SPACE(name, type, second_type)                                                       \
  BY_POINTER_SCALAR(name, type, second_type, global)                                               \
  BY_POINTER_SCALAR(name, type, second_type, local)                                                \
  BY_POINTER_VECTORS(name, type, second_type, private)                                             \
  BY_POINTER_VECTORS(name, type, second_type, global)                                              \
  BY_POINTER_VECTORS(name, type, second_type, local)
EVERY_SPACE(lgamma_r, float, int)
EVERY_SPACE(sincos, double, double)
EVERY_SPACE(fract, float, float)
EVERY_SPACE(fract, double, double)
