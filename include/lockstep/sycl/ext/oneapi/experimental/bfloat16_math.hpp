// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_oneapi_bfloat16_math_functions: math functions for bfloat16, and for vec and marray of
// it. They compute in float and round once.
#pragma once

#include "sycl/detail/each_element.hpp"
#include "sycl/ext/oneapi/bfloat16.hpp"
#include "sycl/math.hpp"
#include "sycl/relational_functions.hpp"

#define SYCL_EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS 1

namespace sycl::ext::oneapi::experimental {
namespace bfloat16_detail {

template <class T>
inline constexpr bool is_whole =
    std::is_same_v<sycl::detail::whole_element<T, sycl::vec<bfloat16, 1>>, bfloat16> &&
    !std::is_void_v<sycl::detail::whole_argument<T>>;
template <class T> using if_whole = std::enable_if_t<is_whole<T>, int>;

} // namespace bfloat16_detail

#define LOCKSTEP_BFLOAT16_1(name)                                                                  \
  inline bfloat16 name(bfloat16 x) {                                                               \
    return sycl::name(static_cast<float>(x));                                                      \
  }                                                                                                \
  template <class T, bfloat16_detail::if_whole<T> = 0> auto name(const T &x) {                     \
    return sycl::detail::each_element([](bfloat16 a) { return name(a); }, x);                      \
  }
#define LOCKSTEP_BFLOAT16_2(name)                                                                  \
  inline bfloat16 name(bfloat16 x, bfloat16 y) {                                                   \
    return sycl::name(static_cast<float>(x), static_cast<float>(y));                               \
  }                                                                                                \
  template <class T, bfloat16_detail::if_whole<T> = 0> auto name(const T &x, const T &y) {         \
    return sycl::detail::each_element([](bfloat16 a, bfloat16 b) { return name(a, b); }, x, y);    \
  }
LOCKSTEP_BFLOAT16_1(ceil)
LOCKSTEP_BFLOAT16_1(cos)
LOCKSTEP_BFLOAT16_1(exp)
LOCKSTEP_BFLOAT16_1(exp10)
LOCKSTEP_BFLOAT16_1(exp2)
LOCKSTEP_BFLOAT16_1(fabs)
LOCKSTEP_BFLOAT16_1(floor)
LOCKSTEP_BFLOAT16_1(log)
LOCKSTEP_BFLOAT16_1(log10)
LOCKSTEP_BFLOAT16_1(log2)
LOCKSTEP_BFLOAT16_1(rint)
LOCKSTEP_BFLOAT16_1(rsqrt)
LOCKSTEP_BFLOAT16_1(sin)
LOCKSTEP_BFLOAT16_1(sqrt)
LOCKSTEP_BFLOAT16_1(trunc)
LOCKSTEP_BFLOAT16_2(fmax)
LOCKSTEP_BFLOAT16_2(fmin)
#undef LOCKSTEP_BFLOAT16_1
#undef LOCKSTEP_BFLOAT16_2

inline bfloat16 fma(bfloat16 x, bfloat16 y, bfloat16 z) {
  return sycl::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}
template <class T, bfloat16_detail::if_whole<T> = 0> auto fma(const T &x, const T &y, const T &z) {
  return sycl::detail::each_element([](bfloat16 a, bfloat16 b, bfloat16 c) { return fma(a, b, c); },
                                    x, y, z);
}
inline bool isnan(bfloat16 x) {
  return (bit_cast<std::uint16_t>(x) & 0x7fff) > 0x7f80;
}
template <std::size_t N> marray<bool, N> isnan(const marray<bfloat16, N> &x) {
  return sycl::detail::each_element([](bfloat16 a) { return isnan(a); }, x);
}

} // namespace sycl::ext::oneapi::experimental
