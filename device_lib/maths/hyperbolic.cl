// sinh and cosh of double. libclc indexes a table by (int)x, which is out of range for NaN,
// infinities and huge numbers: it relies on the saturating conversion of GPUs. These versions need
// no table: one expm1 for all arguments, and no gathers when vectorized.
#include "device_lib/lockstep_builtins.h"

BUILTIN double expm1(double x);

// Above this argument e^x overflows (but sinh and cosh do not yet), so e^(x/2) is squared.
#define LARGE 709.0

BUILTIN PURE double sinh(double x) {
  double size = fabs(x);
  bool is_large = size > LARGE;
  double t = expm1(is_large ? 0.5 * size : size);
  double small = 0.5 * (2 * t - t * t / (t + 1)); // exact for tiny t
  double ordinary = 0.5 * (t + t / (t + 1));
  double result = is_large ? 0.5 * t * t : size < 1 ? small : ordinary;
  return copysign(result, x);
}

BUILTIN PURE double cosh(double x) {
  double size = fabs(x);
  bool is_large = size > LARGE;
  double t = expm1(is_large ? 0.5 * size : size);
  double power = t + 1;
  double small = 1 + t * t / (2 * power); // rounded once for results near 1
  double ordinary = 0.5 * power + 0.5 / power;
  return is_large ? 0.5 * t * t : size < 0.34657359 ? small : ordinary;
}

#define VECTOR(name, n, first, second)                                                             \
  BUILTIN PURE double##n name(double##n x) {                                                       \
    return (double##n)(name(x.first), name(x.second));                                             \
  }
#define VECTORS(name)                                                                              \
  VECTOR(name, 2, x, y)                                                                            \
  VECTOR(name, 3, xy, z)                                                                           \
  VECTOR(name, 4, lo, hi)                                                                          \
  VECTOR(name, 8, lo, hi)                                                                          \
  VECTOR(name, 16, lo, hi)
VECTORS(sinh)
VECTORS(cosh)
