// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Integer functions (SYCL 2020, section 4.17.6). clamp, max and min of floating-point numbers are
// in common_functions.hpp.
#pragma once

#include "sycl/detail/each_element.hpp"

#include <climits>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {

namespace detail {

template <class T> inline constexpr bool is_countable_integer = is_countable<T> && is_integer<T>;
template <class T> inline constexpr int bits_of = int(sizeof(T)) * CHAR_BIT;

#ifdef __SYCL_DEVICE_ONLY__
std::int64_t high_product(std::int64_t, std::int64_t) __asm__("_Z6mul_hill");
std::uint64_t high_product(std::uint64_t, std::uint64_t) __asm__("_Z6mul_himm");
#else
inline std::int64_t high_product(std::int64_t a, std::int64_t b) {
  return std::int64_t((__extension__(__int128) a * b) >> 64);
}
inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
  return std::uint64_t((__extension__(unsigned __int128) a * b) >> 64);
}
#endif

// The 64-bit integer type with the signedness of T.
template <class T>
using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

// The limit of T on the side where the exact result is out of range.
template <class T> constexpr T limit(bool below) {
  return below ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

} // namespace detail

#define LOCKSTEP_INTEGER_1(name)                                                                   \
  template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0>                   \
  constexpr T name(T x)
#define LOCKSTEP_INTEGER_2(name)                                                                   \
  template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0>                   \
  constexpr T name(T x, T y)
#define LOCKSTEP_INTEGER_3(name)                                                                   \
  template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0>                   \
  constexpr T name(T x, T y, T z)

LOCKSTEP_INTEGER_1(abs) {
  if constexpr (std::is_signed_v<T>)
    return x < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x)) : x;
  else
    return x;
}
LOCKSTEP_INTEGER_2(abs_diff) {
  using U = std::make_unsigned_t<T>;
  return T(x > y ? U(U(x) - U(y)) : U(U(y) - U(x)));
}
LOCKSTEP_INTEGER_2(add_sat) {
  T sum = 0;
  return __builtin_add_overflow(x, y, &sum) ? detail::limit<T>(std::is_signed_v<T> && x < 0) : sum;
}
LOCKSTEP_INTEGER_2(sub_sat) {
  T difference = 0;
  return __builtin_sub_overflow(x, y, &difference)
             ? detail::limit<T>(std::is_unsigned_v<T> || x < 0)
             : difference;
}
LOCKSTEP_INTEGER_2(hadd) { // (x + y) >> 1 without overflow
  return T((x & y) + ((x ^ y) >> 1));
}
LOCKSTEP_INTEGER_2(rhadd) { // (x + y + 1) >> 1
  return T((x | y) - ((x ^ y) >> 1));
}
LOCKSTEP_INTEGER_2(max) {
  return x < y ? y : x;
}
LOCKSTEP_INTEGER_2(min) {
  return y < x ? y : x;
}
LOCKSTEP_INTEGER_3(clamp) {
  return min(max(x, y), z);
}
LOCKSTEP_INTEGER_1(clz) {
  using U = std::make_unsigned_t<T>;
  return T(U(x) == 0 ? detail::bits_of<T>
                     : __builtin_clzll(U(x)) - (detail::bits_of<long long> - detail::bits_of<T>));
}
LOCKSTEP_INTEGER_1(ctz) {
  using U = std::make_unsigned_t<T>;
  return T(U(x) == 0 ? detail::bits_of<T> : __builtin_ctzll(U(x)));
}
LOCKSTEP_INTEGER_1(popcount) {
  return T(__builtin_popcountll(std::make_unsigned_t<T>(x)));
}
template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0> T mul_hi(T x, T y) {
  if constexpr (sizeof(T) == 8)
    return T(detail::high_product(detail::wide<T>(x), detail::wide<T>(y)));
  else
    return T((detail::wide<T>(x) * detail::wide<T>(y)) >> detail::bits_of<T>);
}
template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0>
T mad_hi(T x, T y, T z) {
  using U = std::make_unsigned_t<T>;
  return T(U(U(mul_hi(x, y)) + U(z)));
}
template <class T, std::enable_if_t<detail::is_countable_integer<T>, int> = 0>
T mad_sat(T x, T y, T z) {
  if constexpr (sizeof(T) < 8) {
    // Exact: the 64-bit sum cannot overflow, because the product has two factors of 32 bits.
    const detail::wide<T> exact = detail::wide<T>(x) * detail::wide<T>(y) + detail::wide<T>(z);
    return exact > detail::wide<T>(detail::limit<T>(false))  ? detail::limit<T>(false)
           : exact < detail::wide<T>(detail::limit<T>(true)) ? detail::limit<T>(true)
                                                             : T(exact);
  } else {
    // The exact sum in two words; it cannot overflow them.
    std::uint64_t low = 0;
    const bool carry =
        __builtin_add_overflow(std::uint64_t(x) * std::uint64_t(y), std::uint64_t(z), &low);
    const std::uint64_t sign = std::is_signed_v<T> && z < 0 ? ~std::uint64_t(0) : 0;
    const std::uint64_t high = std::uint64_t(mul_hi(x, y)) + sign + carry;
    if constexpr (std::is_signed_v<T>) {
      const bool below = std::int64_t(high) < 0;
      return high == (std::int64_t(low) < 0 ? ~std::uint64_t(0) : 0) ? T(low)
                                                                     : detail::limit<T>(below);
    } else {
      return high == 0 ? T(low) : detail::limit<T>(false);
    }
  }
}
LOCKSTEP_INTEGER_2(rotate) {
  using U = std::make_unsigned_t<T>;
  const unsigned by = unsigned(U(y)) % unsigned(detail::bits_of<T>);
  const unsigned back = (unsigned(detail::bits_of<T>) - by) % unsigned(detail::bits_of<T>);
  return T(U(U(U(x) << by) | U(U(x) >> back)));
}
// The operands are 24-bit values in 32-bit integers.
template <class T, std::enable_if_t<detail::is_countable_integer<T> && sizeof(T) == 4, int> = 0>
constexpr T mul24(T x, T y) {
  return T(std::uint32_t(x) * std::uint32_t(y));
}
template <class T, std::enable_if_t<detail::is_countable_integer<T> && sizeof(T) == 4, int> = 0>
constexpr T mad24(T x, T y, T z) {
  return T(std::uint32_t(x) * std::uint32_t(y) + std::uint32_t(z));
}

// The result has twice the width and the signedness of the high half; the low half is unsigned.
#define LOCKSTEP_UPSAMPLE(high_type, low_type, result)                                             \
  constexpr std::result upsample(std::high_type high, std::low_type low) {                         \
    return std::result((std::uint64_t(high) << detail::bits_of<std::low_type>) | low);             \
  }
LOCKSTEP_UPSAMPLE(int8_t, uint8_t, int16_t)
LOCKSTEP_UPSAMPLE(uint8_t, uint8_t, uint16_t)
LOCKSTEP_UPSAMPLE(int16_t, uint16_t, int32_t)
LOCKSTEP_UPSAMPLE(uint16_t, uint16_t, uint32_t)
LOCKSTEP_UPSAMPLE(int32_t, uint32_t, int64_t)
LOCKSTEP_UPSAMPLE(uint32_t, uint32_t, uint64_t)
#undef LOCKSTEP_UPSAMPLE
template <
    class A, class B, class W = detail::whole<A>, class V = detail::whole<B>,
    std::enable_if_t<detail::are_wholes<detail::element_kind::integers, A>() &&
                         detail::are_wholes<detail::element_kind::integers, B>(),
                     int> = 0,
    std::enable_if_t<
        std::is_same_v<V, detail::with_element<W, std::make_unsigned_t<detail::whole_element<A>>>>,
        int> = 0>
constexpr auto upsample(const A &high, const B &low) {
  return detail::each_element([](auto h, auto l) { return upsample(h, l); }, high, low);
}

#define LOCKSTEP_INTEGERS_2(name)                                                                  \
  LOCKSTEP_EACH_ELEMENT_2(integers, name)                                                          \
  LOCKSTEP_GIVEN_2(integers, 2, name)
#define LOCKSTEP_INTEGERS_3(name)                                                                  \
  LOCKSTEP_EACH_ELEMENT_3(integers, name)                                                          \
  LOCKSTEP_GIVEN_3(integers, 2, name)
LOCKSTEP_EACH_ELEMENT_1(integers, abs)
LOCKSTEP_EACH_ELEMENT_1(integers, clz)
LOCKSTEP_EACH_ELEMENT_1(integers, ctz)
LOCKSTEP_EACH_ELEMENT_1(integers, popcount)
LOCKSTEP_INTEGERS_2(abs_diff)
LOCKSTEP_INTEGERS_2(add_sat)
LOCKSTEP_INTEGERS_2(sub_sat)
LOCKSTEP_INTEGERS_2(hadd)
LOCKSTEP_INTEGERS_2(rhadd)
LOCKSTEP_INTEGERS_2(max)
LOCKSTEP_INTEGERS_2(min)
LOCKSTEP_INTEGERS_2(mul_hi)
LOCKSTEP_INTEGERS_2(rotate)
LOCKSTEP_INTEGERS_2(mul24)
LOCKSTEP_INTEGERS_3(clamp)
LOCKSTEP_INTEGERS_3(mad_hi)
LOCKSTEP_INTEGERS_3(mad_sat)
LOCKSTEP_INTEGERS_3(mad24)

#undef LOCKSTEP_INTEGERS_3
#undef LOCKSTEP_INTEGERS_2
#undef LOCKSTEP_INTEGER_1
#undef LOCKSTEP_INTEGER_2
#undef LOCKSTEP_INTEGER_3

} // namespace sycl
