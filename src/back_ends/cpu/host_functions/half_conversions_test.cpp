#include "back_ends/cpu/host_functions/half_conversions.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace {

uint16_t bits(_Float16 half) {
  return std::bit_cast<uint16_t>(half);
}
_Float16 half(unsigned bits) {
  return std::bit_cast<_Float16>(static_cast<uint16_t>(bits));
}

// The value of a finite half, from its definition.
double value_of(unsigned bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double magnitude =
      exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(HalfConversions, EveryHalfToFloatAndBack) {
  for (unsigned i = 0; i < 0x10000; ++i) {
    float wide = lockstep_float_from_half(half(i));
    if ((i & 0x7c00) != 0x7c00)
      EXPECT_EQ(wide, value_of(i)) << i;
    else if (i & 0x3ff)
      EXPECT_TRUE(std::isnan(wide)) << i;
    else
      EXPECT_TRUE(std::isinf(wide)) << i;
    unsigned expected = (i & 0x7c00) == 0x7c00 && (i & 0x3ff) ? i | 0x200 : i;
    EXPECT_EQ(bits(lockstep_half_from_float(wide)), expected) << i;
    EXPECT_EQ(bits(lockstep_half_from_double(wide)), expected) << i;
  }
}

// Between two neighbors: the nearer one, at the middle the even one.
TEST(HalfConversions, RoundsToNearestEven) {
  for (unsigned i = 0; i < 0x7bff; ++i) {
    double low = value_of(i), high = value_of(i + 1), middle = (low + high) / 2;
    unsigned even = i & 1 ? i + 1 : i;
    EXPECT_EQ(bits(lockstep_half_from_double(middle)), even);
    EXPECT_EQ(bits(lockstep_half_from_float(static_cast<float>(middle))), even);
    EXPECT_EQ(bits(lockstep_half_from_double(std::nextafter(middle, 0.0))), i);
    EXPECT_EQ(bits(lockstep_half_from_double(std::nextafter(middle, 1e9))), i + 1);
    EXPECT_EQ(bits(lockstep_half_from_float(std::nextafter(static_cast<float>(middle), 0.0f))), i);
    EXPECT_EQ(bits(lockstep_half_from_double(-std::nextafter(middle, 1e9))), 0x8000u | (i + 1));
  }
}

TEST(HalfConversions, Ends) {
  EXPECT_EQ(bits(lockstep_half_from_double(65504.0)), 0x7bff);
  EXPECT_EQ(bits(lockstep_half_from_double(65519.999)), 0x7bff);
  EXPECT_EQ(bits(lockstep_half_from_double(65520.0)), 0x7c00);
  EXPECT_EQ(bits(lockstep_half_from_double(1e300)), 0x7c00);
  EXPECT_EQ(bits(lockstep_half_from_double(-1e300)), 0xfc00);
  EXPECT_EQ(bits(lockstep_half_from_double(0x1p-25)), 0);
  EXPECT_EQ(bits(lockstep_half_from_double(0x1.0001p-25)), 1);
  EXPECT_EQ(bits(lockstep_half_from_double(5e-324)), 0);
  EXPECT_EQ(bits(lockstep_half_from_double(-0.0)), 0x8000);
  EXPECT_EQ(bits(lockstep_half_from_double(std::nan(""))) & 0x7e00, 0x7e00);
  EXPECT_EQ(bits(lockstep_half_from_float(1e-45f)), 0);
}

// Tests that a conversion rounds once, not twice: a double just above the middle between two halves
// is exactly the middle as a float.
TEST(HalfConversions, DoublesAreRoundedOnce) {
  EXPECT_EQ(bits(lockstep_half_from_double(1.0 + 0x1p-11 + 0x1p-40)),
            bits(lockstep_half_from_double(1.0)) + 1);
}

} // namespace
