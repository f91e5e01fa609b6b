// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dot products of four bytes (extension sycl_ext_oneapi_dot_accumulate), packed in 32-bit numbers
// or in a vec.
#pragma once

#include "sycl/vec.hpp"

#define SYCL_EXT_ONEAPI_DOT_ACCUMULATE 1

namespace sycl {

namespace detail {

template <class T> struct four_bytes;
template <> struct four_bytes<std::int32_t> {
  static std::int32_t at(std::int32_t of, int i) { return static_cast<std::int8_t>(of >> 8 * i); }
};
template <> struct four_bytes<std::uint32_t> {
  static std::int32_t at(std::uint32_t of, int i) { return static_cast<std::uint8_t>(of >> 8 * i); }
};
template <class T> struct four_bytes<vec<T, 4>> {
  static_assert(std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>);
  static std::int32_t at(const vec<T, 4> &of, int i) { return of[i]; }
};

} // namespace detail

namespace ext::oneapi {

template <class A, class B> std::int32_t dot_acc(A a, B b, std::int32_t sum) {
  for (int i = 0; i < 4; ++i)
    sum += sycl::detail::four_bytes<A>::at(a, i) * sycl::detail::four_bytes<B>::at(b, i);
  return sum;
}

} // namespace ext::oneapi

} // namespace sycl
