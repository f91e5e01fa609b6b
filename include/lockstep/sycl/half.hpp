// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// half (SYCL 2020, section 4.14.1): IEEE binary16, 16 bits.
#pragma once

#include "sycl/detail/number_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory> // declares std::hash
#include <type_traits>

namespace sycl {
namespace detail::small_numbers {

class half;

template <> struct number_traits<half> {
  using value = _Float16;
  template <class T> static constexpr bool mixes_with = std::is_arithmetic_v<T>;
  template <class T> using mixed = std::conditional_t<std::is_floating_point_v<T>, T, half>;
  template <class T> using result = mixed<T>;
};

class half : public number_operators<half> {
  _Float16 value_;

  struct exactly {};
  constexpr half(exactly, _Float16 value) : value_(value) {}

public:
  half() = default; // trivial, so that half can be a member of a union
  constexpr half(float value) : value_(static_cast<_Float16>(value)) {}
  // Converts double in one step: conversion through float would round twice.
  template <class T,
            std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float>, int> = 0>
  constexpr half(T value) : value_(static_cast<_Float16>(value)) {}
  constexpr operator float() const { return static_cast<float>(value_); }

  friend constexpr half operator+(const half &a) { return a; }
  friend constexpr half operator-(const half &a) { return half(exactly(), -a.value_); }
};

} // namespace detail::small_numbers

using half = detail::small_numbers::half;

} // namespace sycl

template <> class std::numeric_limits<sycl::half> {
  static constexpr sycl::half of_bits(std::uint16_t bits) {
    return __builtin_bit_cast(sycl::half, bits);
  }

public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_bounded = true, is_modulo = false, is_iec559 = true;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false, traps = false, tinyness_before = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5, radix = 2;
  static constexpr int min_exponent = -13, min_exponent10 = -4;
  static constexpr int max_exponent = 16, max_exponent10 = 4;
  static constexpr sycl::half min() noexcept { return of_bits(0x0400); }
  static constexpr sycl::half max() noexcept { return of_bits(0x7bff); }
  static constexpr sycl::half lowest() noexcept { return of_bits(0xfbff); }
  static constexpr sycl::half epsilon() noexcept { return of_bits(0x1400); }
  static constexpr sycl::half round_error() noexcept { return of_bits(0x3800); }
  static constexpr sycl::half infinity() noexcept { return of_bits(0x7c00); }
  static constexpr sycl::half quiet_NaN() noexcept { return of_bits(0x7e00); }
  static constexpr sycl::half signaling_NaN() noexcept { return of_bits(0x7d00); }
  static constexpr sycl::half denorm_min() noexcept { return of_bits(0x0001); }
};

template <> struct std::hash<sycl::half> {
  std::size_t operator()(sycl::half value) const noexcept {
    return std::hash<float>()(static_cast<float>(value));
  }
};
