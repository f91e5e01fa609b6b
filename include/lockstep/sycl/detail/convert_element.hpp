// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Converts numbers with a given rounding mode (SYCL 2020, section 4.14.2.5). The result does not
// depend on the host's rounding mode and is the same on the device.
//
// The mode `automatic` is round to nearest for floating-point sources, also for conversion to
// integers, where C++ would truncate.
#pragma once

#include "sycl/detail/element_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sycl {

enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

namespace detail {

template <rounding_mode Mode, class From> constexpr From round_to_integer(From value) {
  if constexpr (std::is_same_v<From, half>) {
    return static_cast<half>(round_to_integer<Mode>(static_cast<float>(value)));
  } else if constexpr (std::is_same_v<From, float>) {
    if constexpr (Mode == rounding_mode::rtp)
      return __builtin_ceilf(value);
    else if constexpr (Mode == rounding_mode::rtn)
      return __builtin_floorf(value);
    else
      return __builtin_roundevenf(value);
  } else {
    if constexpr (Mode == rounding_mode::rtp)
      return __builtin_ceil(value);
    else if constexpr (Mode == rounding_mode::rtn)
      return __builtin_floor(value);
    else
      return __builtin_roundeven(value);
  }
}

// Compares a floating-point number exactly with the number it was converted from: 1 if it is
// greater, -1 if it is less, 0 if it is equal.
template <class To, class From> constexpr int compare_exactly(To to, From from) {
  if constexpr (is_floating<From>) {
    const double a = to, b = from;
    return a > b ? 1 : a < b ? -1 : 0;
  } else {
    // The number is an integer. Only rounding up to 2^digits can put it outside the range of From.
    constexpr To above = To(std::uint64_t(1) << (std::numeric_limits<From>::digits - 1)) * To(2);
    if (to >= above)
      return 1;
    if (to < std::numeric_limits<To>::lowest()) // -infinity: integers can exceed the range of half
      return -1;
    const From back = static_cast<From>(to);
    return back > from ? 1 : back < from ? -1 : 0;
  }
}

// Returns the next representable number upward or downward.
template <class T> constexpr T neighbor(T value, bool up) {
  using bits = std::conditional_t<sizeof(T) == 2, std::int16_t,
                                  std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  if (value == T(0)) {
    const T least = std::numeric_limits<T>::denorm_min();
    return up ? least : -least;
  }
  const bits step = (value > T(0)) == up ? 1 : -1;
  return __builtin_bit_cast(T, static_cast<bits>(__builtin_bit_cast(bits, value) + step));
}

template <class To, rounding_mode Mode, class From> constexpr To convert_element(From from) {
  constexpr bool directed = Mode != rounding_mode::automatic && Mode != rounding_mode::rte;
  if constexpr (is_floating<From> && std::is_integral_v<To> && !std::is_same_v<To, bool> &&
                Mode != rounding_mode::rtz) {
    return static_cast<To>(round_to_integer<Mode>(from));
  } else if constexpr (is_floating<To> && is_number<From> && !std::is_same_v<From, bool> &&
                       directed) {
    const To nearest = static_cast<To>(from);
    const int side = compare_exactly(nearest, from);
    const bool down = Mode == rounding_mode::rtn || (Mode == rounding_mode::rtz && from > From(0));
    return side > 0 && down    ? neighbor(nearest, false)
           : side < 0 && !down ? neighbor(nearest, true)
                               : nearest;
  } else {
    return static_cast<To>(from);
  }
}

} // namespace detail
} // namespace sycl
