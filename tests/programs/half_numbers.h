// Half-precision numbers for tests: conversions by a table of the values of all halves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockstep::test {

inline constexpr uint16_t half_infinity = 0x7c00, half_sign = 0x8000;

// The value of a half without its sign. Infinity has the value of the number that would follow the
// largest half, which is the value that rounding uses.
inline double size_of_half(uint16_t half) {
  const int exponent = half >> 10, fraction = half & 0x3ff;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

inline bool is_nan_half(uint16_t half) {
  return (half & ~half_sign) > half_infinity;
}

inline double number_of_half(uint16_t half) {
  const uint16_t size = half & ~half_sign;
  const double number = is_nan_half(half)       ? std::numeric_limits<double>::quiet_NaN()
                        : size == half_infinity ? std::numeric_limits<double>::infinity()
                                                : size_of_half(size);
  return half & half_sign ? -number : number;
}

enum class Rounding { nearest, to_zero, up, down };

struct Halves {
  std::vector<double> values;
  Halves() {
    for (uint16_t half = 0; half <= half_infinity; ++half)
      values.push_back(size_of_half(half));
  }

  // Returns the half for `number`, which is not a NaN.
  uint16_t rounded(double number, Rounding rounding) const {
    const bool is_negative = std::signbit(number);
    const uint16_t sign = is_negative ? half_sign : 0;
    const double size = std::fabs(number);
    if (std::isinf(number))
      return sign | half_infinity;
    // Pointers, because tests are not optimized and iterators would take most of their time.
    const double *begin = values.data(), *end = begin + values.size();
    const double *above = std::lower_bound(begin, end, size);
    if (above != end && *above == size && above + 1 != end)
      return sign | static_cast<uint16_t>(above - begin);
    const auto low =
        static_cast<uint16_t>(std::min<std::ptrdiff_t>(above - begin, half_infinity) - 1);
    bool away;
    if (rounding == Rounding::nearest) {
      const double middle = (values[low] + values[low + 1U]) / 2;
      away = size > middle || (size == middle && low % 2 == 1);
    } else {
      away = rounding == (is_negative ? Rounding::down : Rounding::up);
    }
    return sign | static_cast<uint16_t>(low + away);
  }
};

// The distance of a half from a number, in units of the last place that the number would have as a
// half. Infinity counts as the number that would follow the largest half.
inline double error_in_ulps(uint16_t half, double number) {
  if (std::isnan(number) || is_nan_half(half))
    return std::isnan(number) && is_nan_half(half) ? 0 : std::numeric_limits<double>::infinity();
  constexpr double beyond = 0x1p16;
  const double got = (half & ~half_sign) == half_infinity
                         ? std::copysign(beyond, half & half_sign ? -1.0 : 1.0)
                         : number_of_half(half);
  const double wanted = std::clamp(number, -beyond, beyond);
  const int exponent = wanted == 0 ? -14 : std::clamp(std::ilogb(wanted), -14, 15);
  return std::fabs(got - wanted) / std::ldexp(1.0, exponent - 10);
}

} // namespace lockstep::test
