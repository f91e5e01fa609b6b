// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Host implementations of SYCL's math functions: calls of the C++ library, and the functions that
// C++ lacks.
#pragma once

#include <cmath>
#include <limits>

namespace sycl::detail::on_host {

using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atanh, std::cbrt, std::ceil;
using std::atan2, std::copysign, std::fdim, std::fmax, std::fmin, std::fmod, std::hypot, std::pow;
using std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs;
using std::floor, std::fma, std::ilogb, std::ldexp, std::lgamma, std::log, std::log10, std::log1p;
using std::log2, std::logb, std::nextafter, std::remainder, std::rint, std::round, std::sin;
using std::sinh, std::sqrt, std::tan, std::tanh, std::tgamma, std::trunc;

inline constexpr long double pi = 3.14159265358979323846264338327950288L;

// Computed in long double, so that intermediate rounding does not affect the result.
template <class T> T acospi(T x) {
  return T(std::acos((long double)x) / pi);
}
template <class T> T asinpi(T x) {
  return T(std::asin((long double)x) / pi);
}
template <class T> T atanpi(T x) {
  return T(std::atan((long double)x) / pi);
}
template <class T> T atan2pi(T y, T x) {
  return T(std::atan2((long double)y, (long double)x) / pi);
}
template <class T> T sinpi(T x) {
  const T reduced = std::remainder(x, T(2)); // exact, and so is the rest
  const T near_zero =
      std::fabs(reduced) > T(0.5) ? std::copysign(T(1), reduced) - reduced : reduced;
  return near_zero == T(0) ? std::copysign(T(0), x) : T(std::sin(pi * near_zero));
}
template <class T> T cospi(T x) {
  const T reduced = std::fabs(std::remainder(x, T(2)));
  return reduced == T(0.5) ? T(0) : T(std::cos(pi * reduced));
}
template <class T> T tanpi(T x) {
  const T reduced = std::remainder(x, T(1));
  return std::fabs(reduced) == T(0.5) ? std::copysign(std::numeric_limits<T>::infinity(), reduced)
                                      : T(std::tan(pi * reduced));
}
template <class T> T exp10(T x) {
  return T(std::pow(10.0L, (long double)x));
}
template <class T> T rsqrt(T x) {
  return T(1.0L / std::sqrt((long double)x));
}
template <class T> T maxmag(T x, T y) {
  const T a = std::fabs(x), b = std::fabs(y);
  return a > b ? x : b > a ? y : std::fmax(x, y);
}
template <class T> T minmag(T x, T y) {
  const T a = std::fabs(x), b = std::fabs(y);
  return a < b ? x : b < a ? y : std::fmin(x, y);
}
template <class T> T mad(T a, T b, T c) {
  return std::fma(a, b, c);
}
// Defined as exp(y * log(x)), so that its special cases differ from those of pow.
template <class T> T powr(T x, T y) {
  const bool none = !(x >= T(0)) || std::isnan(y) || (x == T(1) && std::isinf(y)) ||
                    (y == T(0) && (x == T(0) || std::isinf(x)));
  return none ? std::numeric_limits<T>::quiet_NaN() : std::pow(std::fabs(x), y);
}
template <class T> T pown(T x, int n) {
  return T(std::pow((long double)x, (long double)n));
}
template <class T> T rootn(T x, int n) {
  const bool odd = n % 2 != 0;
  if (n == 0 || (x < T(0) && !odd))
    return std::numeric_limits<T>::quiet_NaN();
  const T root = T(std::pow((long double)std::fabs(x), 1.0L / n));
  return odd ? std::copysign(root, x) : root;
}
template <class T> T recip(T x) {
  return T(1) / x;
}
template <class T> T divide(T x, T y) {
  return x / y;
}

} // namespace sycl::detail::on_host
