#include "back_ends/cpu/host_functions/half_conversions.h"

#include <bit>
#include <cstdint>

namespace {

constexpr unsigned half_bias = 15, half_fraction_bits = 10;
constexpr uint16_t half_infinity = 0x7c00, half_quiet = 0x0200;

// Converts from any wider binary format, given by the number of fraction bits and the exponent
// bias.
template <unsigned fraction_bits, unsigned bias>
uint16_t half_bits(uint64_t magnitude, uint16_t sign) {
  constexpr uint64_t fraction_mask = (uint64_t{1} << fraction_bits) - 1;
  constexpr unsigned extra_bits = fraction_bits - half_fraction_bits;
  uint64_t fraction = magnitude & fraction_mask;
  int exponent = static_cast<int>(magnitude >> fraction_bits);
  // Infinity stays infinity. A NaN keeps the top of its payload and becomes quiet.
  if (exponent == 2 * bias + 1) {
    auto payload = static_cast<uint16_t>(fraction >> extra_bits);
    return sign | half_infinity | (fraction ? half_quiet | payload : 0);
  }
  int half_exponent = exponent - static_cast<int>(bias) + static_cast<int>(half_bias);
  if (half_exponent >= 31)
    return sign | half_infinity;
  uint64_t quotient, rest;
  unsigned shift = extra_bits;
  if (half_exponent > 0) {
    quotient = static_cast<uint64_t>(half_exponent) << half_fraction_bits | fraction >> shift;
    rest = fraction & ((uint64_t{1} << shift) - 1);
  } else { // subnormal: the leading one becomes a bit of the fraction, and the exponent a shift
    shift += static_cast<unsigned>(1 - half_exponent);
    if (shift > fraction_bits + 1)
      return sign; // less than half of the smallest
    uint64_t significand = fraction | (exponent ? fraction_mask + 1 : 0);
    quotient = significand >> shift;
    rest = significand & ((uint64_t{1} << shift) - 1);
  }
  uint64_t middle = uint64_t{1} << (shift - 1);
  if (rest > middle || (rest == middle && (quotient & 1)))
    ++quotient; // may correctly carry into the exponent, up to infinity
  return sign | static_cast<uint16_t>(quotient);
}

} // namespace

_Float16 lockstep_half_from_double(double value) {
  auto bits = std::bit_cast<uint64_t>(value);
  return std::bit_cast<_Float16>(
      half_bits<52, 1023>(bits & ~(uint64_t{1} << 63), static_cast<uint16_t>(bits >> 48 & 0x8000)));
}

_Float16 lockstep_half_from_float(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<_Float16>(
      half_bits<23, 127>(bits & 0x7fffffff, static_cast<uint16_t>(bits >> 16 & 0x8000)));
}

float lockstep_float_from_half(_Float16 value) {
  auto bits = std::bit_cast<uint16_t>(value);
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = bits >> half_fraction_bits & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0) { // fraction * 2^-24, exact in float
    float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
  uint32_t quiet = exponent == 31 && fraction ? 0x400000 : 0;
  return std::bit_cast<float>(sign | wide_exponent << 23 | quiet | fraction << 13);
}
