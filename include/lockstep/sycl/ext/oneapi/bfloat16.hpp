// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// bfloat16 (extension sycl_ext_oneapi_bfloat16): the upper half of a float. Arithmetic is computed
// in float and rounded once.
#pragma once

#include "sycl/bit_cast.hpp"
#include "sycl/detail/number_operators.hpp"
#include "sycl/half.hpp"

#include <cstdint>
#include <type_traits>

#define SYCL_EXT_ONEAPI_BFLOAT16 1

namespace sycl {

namespace ext::oneapi {
class bfloat16;
}

template <> struct detail::small_numbers::number_traits<ext::oneapi::bfloat16> {
  using value = float;
  template <class T>
  static constexpr bool mixes_with = std::is_arithmetic_v<T> || std::is_same_v<T, half>;
  template <class T> using mixed = float;
  template <class T> using result = ext::oneapi::bfloat16;
};

namespace ext::oneapi {

class bfloat16 : public detail::small_numbers::number_operators<bfloat16> {
  std::uint16_t bits_;

  // Rounds to nearest, ties to even. A NaN stays a NaN, even if only its lower bits are set.
  static constexpr std::uint16_t rounded(float value) {
    const auto bits = bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }

public:
  bfloat16() = default; // trivial, so that bfloat16 can be a member of a union
  constexpr bfloat16(const float &value) : bits_(rounded(value)) {}
  constexpr bfloat16(const half &value) : bits_(rounded(value)) {}
  constexpr bfloat16 &operator=(const float &value) { return *this = bfloat16(value); }
  constexpr bfloat16 &operator=(const half &value) { return *this = bfloat16(value); }
  constexpr operator float() const {
    return bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16);
  }
  constexpr operator half() const { return static_cast<float>(*this); }
  constexpr explicit operator bool() const { return (bits_ & 0x7fffu) != 0; }

  friend constexpr bfloat16 operator-(const bfloat16 &of) { // also negates NaN and zero
    bfloat16 result = of;
    result.bits_ = static_cast<std::uint16_t>(result.bits_ ^ 0x8000u);
    return result;
  }
};

} // namespace ext::oneapi

} // namespace sycl
