// tgamma (OpenCL C 6.15.2), with an error of at most 16 ulp. libclc computes exp(lgamma(x)), whose
// error is hundreds of ulp: the exponential turns the absolute error of a large logarithm into a
// relative one.
//
// For y >= 8, this file uses Stirling's formula:
//     gamma(y) = sqrt(2 pi) * y^(y - 1/2) * e^-y * e^(1/(12 y) - 1/(360 y^3) + ...)
// The power and e^-y have exact arguments, so each is accurate to 1 ulp. The power overflows before
// gamma does, so it is computed as the square of its root. Smaller arguments are shifted up:
//     gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1))
// gamma is sensitive to the rounding error of x + n, which is corrected by gamma'/gamma = log(y) -
// 1/(2 y) - ... Negative arguments are reflected:
//     gamma(-z) = -pi / (z sin(pi z) gamma(z))
#include "device_lib/lockstep_builtins.h"

BUILTIN double exp(double x);
BUILTIN double expm1(double x);
BUILTIN double floor(double x);
BUILTIN double log(double x);
BUILTIN double pow(double x, double y);
BUILTIN double sinpi(double x);

// gamma = half1 * half2. The halves do not overflow or underflow unless the product does.
struct product {
  double half1, half2;
};

// The exponent of the last factor of Stirling's formula: sum of B(2k) / (2k (2k - 1) y^(2k-1)).
static double stirling_series(double y) {
  double r = 1.0 / y;
  double r2 = r * r;
  double sum = 43867.0 / 244188.0;
  sum = sum * r2 - 3617.0 / 122400.0;
  sum = sum * r2 + 1.0 / 156.0;
  sum = sum * r2 - 691.0 / 360360.0;
  sum = sum * r2 + 1.0 / 1188.0;
  sum = sum * r2 - 1.0 / 1680.0;
  sum = sum * r2 + 1.0 / 1260.0;
  sum = sum * r2 - 1.0 / 360.0;
  sum = sum * r2 + 1.0 / 12.0;
  return sum * r;
}

// Requires x > 0.
static struct product positive_gamma(double x) {
  const double sqrt_2_pi = 2.5066282746310005024;
  double divisor = 1.0, y = x;
  while (y < 8.0) {
    divisor *= y;
    y += 1.0;
  }
  double lost = 0.0; // x + n - y: the rounding error of the additions above
  if (x < 8.0) {
    double n = floor(y - x + 0.5);
    lost = x - (y - n);
  }
  double root = pow(y, 0.5 * y - 0.25);
  double correction = expm1(stirling_series(y)) + lost * (log(y) - 0.5 / y);
  double scale = sqrt_2_pi / divisor;
  return (struct product){root, root * exp(-y) * (scale + scale * correction)};
}

BUILTIN PURE double tgamma(double x) {
  const double pi = 3.14159265358979323846;
  double z = x < 0.0 ? -x : x;
  if (z < 0x1p-54)
    return 1.0 / x; // also returns the infinity with the correct sign for both zeros
  if (!(x < 172.0))
    return x * INFINITY; // infinity, or NaN
  if (x > 0.0) {
    struct product gamma = positive_gamma(x);
    return gamma.half1 * gamma.half2;
  }
  if (floor(x) == x)
    return as_double(0x7ff8000000000000UL); // a pole, or negative infinity
  if (z > 190.0) { // the result underflows; its sign is that of the interval between two poles
    return floor(0.5 * floor(x)) == 0.5 * floor(x) ? 0.0 : -0.0;
  }
  struct product gamma = positive_gamma(z);
  return -pi / (z * sinpi(z)) / gamma.half1 / gamma.half2;
}

BUILTIN PURE float tgamma(float x) {
  return (float)tgamma((double)x);
}

#define VECTORS(type)                                                                              \
  BUILTIN PURE type##2 tgamma(type##2 x) {                                                         \
    return (type##2)(tgamma(x.x), tgamma(x.y));                                                    \
  }                                                                                                \
  BUILTIN PURE type##3 tgamma(type##3 x) {                                                         \
    return (type##3)(tgamma(x.xy), tgamma(x.z));                                                   \
  }                                                                                                \
  BUILTIN PURE type##4 tgamma(type##4 x) {                                                         \
    return (type##4)(tgamma(x.lo), tgamma(x.hi));                                                  \
  }                                                                                                \
  BUILTIN PURE type##8 tgamma(type##8 x) {                                                         \
    return (type##8)(tgamma(x.lo), tgamma(x.hi));                                                  \
  }                                                                                                \
  BUILTIN PURE type##16 tgamma(type##16 x) {                                                       \
    return (type##16)(tgamma(x.lo), tgamma(x.hi));                                                 \
  }

VECTORS(float)
VECTORS(double)
