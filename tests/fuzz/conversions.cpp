#include "conversions.h"

#include <algorithm>
#include <bit>

namespace lockstep::fuzz {

namespace {

using Wide = __int128;
using Magnitude = unsigned __int128;

struct Format {
  int precision;       // bits of the significand, with the hidden bit
  int least, greatest; // exponents of normal numbers
  int width;
};

constexpr Format half_format{11, -14, 15, 16};
constexpr Format float_format{24, -126, 127, 32};
constexpr Format double_format{53, -1022, 1023, 64};

Format format_of(Elem e) {
  return e == Elem::f16 ? half_format : e == Elem::f32 ? float_format : double_format;
}

// The value significand * 2^exponent.
struct Number {
  bool negative = false, infinite = false, nan = false;
  Magnitude significand = 0;
  int exponent = 0;
};

Number unpack(Format f, uint64_t v) {
  Number n;
  const int fraction = f.precision - 1;
  const int field = int(v >> fraction & ((uint64_t(1) << (f.width - f.precision)) - 1));
  n.significand = v & ((uint64_t(1) << fraction) - 1);
  n.negative = v >> (f.width - 1) & 1;
  if (field > f.greatest - f.least + 1) {
    (n.significand ? n.nan : n.infinite) = true;
    return n;
  }
  if (field)
    n.significand |= Magnitude(1) << fraction;
  n.exponent = std::max(field, 1) - 1 + f.least - fraction;
  return n;
}

int length(Magnitude m) {
  return m >> 64 ? 128 - std::countl_zero(uint64_t(m >> 64)) : 64 - std::countl_zero(uint64_t(m));
}

// Rounds m / 2^shift to an integer.
Magnitude shift_rounded(Magnitude m, int shift, bool negative, Rounding rounding) {
  if (shift <= 0)
    return m << -shift;
  const Magnitude whole = shift > 127 ? 0 : m >> shift;
  const Magnitude rest = shift > 127 ? m : m - (whole << shift);
  const Magnitude half = shift > 127 ? 0 : Magnitude(1) << (shift - 1);
  switch (rounding) {
  case Rounding::rtz:
    return whole;
  case Rounding::rtp:
    return whole + (rest && !negative);
  case Rounding::rtn:
    return whole + (rest && negative);
  default:
    return whole + (half && (rest > half || (rest == half && (whole & 1))));
  }
}

uint64_t pack(Format f, const Number &n, Rounding rounding) {
  const uint64_t sign = uint64_t(n.negative) << (f.width - 1);
  const uint64_t infinity = uint64_t(f.greatest - f.least + 2) << (f.precision - 1);
  if (n.nan)
    return sign | infinity | uint64_t(1) << (f.precision - 2);
  if (n.infinite)
    return sign | infinity;
  const int top = n.exponent + length(n.significand) - 1;
  int exponent = std::max(top, f.least) - (f.precision - 1); // of the last bit
  Magnitude m = shift_rounded(n.significand, exponent - n.exponent, n.negative, rounding);
  if (m >> f.precision) // rounded up to the next power of two
    m >>= 1, ++exponent;
  const int normal = exponent + f.precision - 1;
  if (m && normal > f.greatest) {
    const bool stays = rounding == Rounding::rtz || (rounding == Rounding::rtp && n.negative) ||
                       (rounding == Rounding::rtn && !n.negative);
    return sign | (infinity - stays);
  }
  if (!(m >> (f.precision - 1))) // denormal, or zero
    return sign | uint64_t(m);
  const uint64_t fraction = uint64_t(m) & ((uint64_t(1) << (f.precision - 1)) - 1);
  return sign | uint64_t(normal - f.least + 1) << (f.precision - 1) | fraction;
}

Wide saturated(Elem e, Wide v) {
  const Wide top = (Wide(1) << (bits(e) - is_signed(e))) - 1;
  return std::clamp(v, is_signed(e) ? -top - 1 : Wide(0), top);
}

Wide to_integer(const Number &n, Rounding rounding) {
  if (n.nan)
    return 0;
  const int top = n.exponent + length(n.significand);
  Magnitude m = n.infinite || top > 100
                    ? Magnitude(1) << 100
                    : shift_rounded(n.significand, -n.exponent, n.negative, rounding);
  return n.negative ? -Wide(m) : Wide(m);
}

} // namespace

const char *suffix(Rounding rounding) {
  static const char *const names[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
  return names[int(rounding)];
}

uint64_t convert_rounded(Elem from, Elem to, uint64_t v, bool saturate, Rounding rounding) {
  if (rounding == Rounding::none)
    rounding = is_float(to) ? Rounding::rte : Rounding::rtz;
  if (is_float(from)) {
    const Number n = unpack(format_of(from), v);
    if (is_float(to))
      return pack(format_of(to), n, rounding);
    const Wide whole = to_integer(n, rounding);
    return wrap(to, uint64_t(saturate ? saturated(to, whole) : whole));
  }
  const Wide whole = is_signed(from) ? Wide(signed_value(from, v)) : Wide(v);
  if (!is_float(to))
    return wrap(to, uint64_t(saturate ? saturated(to, whole) : whole));
  Number n;
  n.negative = whole < 0;
  n.significand = Magnitude(n.negative ? -whole : whole);
  return pack(format_of(to), n, rounding);
}

uint64_t half_to_float(uint16_t half) {
  return pack(float_format, unpack(half_format, half), Rounding::rte);
}

uint16_t to_half(Elem from, uint64_t v, Rounding rounding) {
  return uint16_t(pack(half_format, unpack(format_of(from), v),
                       rounding == Rounding::none ? Rounding::rte : rounding));
}

} // namespace lockstep::fuzz
