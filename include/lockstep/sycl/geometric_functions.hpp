// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Geometric functions (SYCL 2020, section 4.17.8). For float and half they compute in double, where
// no intermediate result overflows; the fast_ versions compute in float.
#pragma once

#include "sycl/math.hpp"

namespace sycl {

namespace detail {

template <class E, std::size_t... At, class A, class B>
constexpr E sum_of_products(std::index_sequence<At...>, const A &a, const B &b) {
  return (... + (static_cast<E>(a[At]) * static_cast<E>(b[At])));
}
// Returns the dot product, computed in E.
template <class E, class A, class B> constexpr E dot_in(const A &a, const B &b) {
  if constexpr (std::is_void_v<whole<A>>)
    return static_cast<E>(a) * static_cast<E>(b);
  else
    return sum_of_products<E>(std::make_index_sequence<whole<A>::size()>(), whole<A>(a),
                              whole<A>(b));
}

template <std::size_t... At, class W>
double length_of_doubles(std::index_sequence<At...>, const W &of) {
  double length = fabs(of[0]); // hypot avoids intermediate overflow and underflow
  ((length = At == 0 ? length : hypot(length, of[At])), ...);
  return length;
}

template <class T> struct geometric_element {
  using type = T;
};
template <class D, int N> struct geometric_element<vec<D, N>> {
  using type = D;
};
template <class D, std::size_t N> struct geometric_element<marray<D, N>> {
  using type = D;
};
// The parameter type for an argument of type T: the number, vec or marray.
template <class T> using geometric = std::conditional_t<std::is_void_v<whole<T>>, T, whole<T>>;
template <class T> using element_of = typename geometric_element<geometric<T>>::type;
template <class T> constexpr bool has_length() {
  if constexpr (!is_floating<element_of<T>>)
    return false;
  else if constexpr (std::is_void_v<whole<T>>)
    return true;
  else
    return whole<T>::size() <= 4;
}

} // namespace detail

#define LOCKSTEP_GEOMETRIC_1(result, name)                                                         \
  template <class A, std::enable_if_t<detail::has_length<A>(), int> = 0> result name(const A &a)
#define LOCKSTEP_GEOMETRIC_2(result, name)                                                         \
  template <class A, class B,                                                                      \
            std::enable_if_t<detail::has_length<A>() &&                                            \
                                 std::is_same_v<detail::geometric<A>, detail::geometric<B>>,       \
                             int> = 0>                                                             \
  result name(const A &a, const B &b)

LOCKSTEP_GEOMETRIC_2(detail::element_of<A>, dot) {
  return detail::dot_in<detail::element_of<A>>(a, b);
}
LOCKSTEP_GEOMETRIC_1(detail::element_of<A>, length) {
  using E = detail::element_of<A>;
  if constexpr (std::is_void_v<detail::whole<A>>)
    return fabs(a);
  else if constexpr (sizeof(E) < 8)
    return E(sqrt(detail::dot_in<double>(a, a)));
  else
    return detail::length_of_doubles(std::make_index_sequence<detail::whole<A>::size()>(),
                                     detail::whole<A>(a));
}
LOCKSTEP_GEOMETRIC_2(detail::element_of<A>, distance) {
  return length(detail::geometric<A>(a) - detail::geometric<A>(b));
}
LOCKSTEP_GEOMETRIC_1(detail::geometric<A>, normalize) {
  using E = detail::element_of<A>;
  const detail::geometric<A> whole(a);
  if constexpr (std::is_void_v<detail::whole<A>>) {
    return a == E(0) ? a : copysign(E(1), a);
  } else if constexpr (sizeof(E) < 8) {
    const double length = sqrt(detail::dot_in<double>(whole, whole));
    return length == 0.0 ? whole
                         : detail::each_element([=](E x) { return E(double(x) / length); }, whole);
  } else {
    const E of = length(whole);
    return of == E(0) ? whole : whole / of;
  }
}
template <class A,
          std::enable_if_t<detail::has_length<A>() && std::is_same_v<detail::element_of<A>, float>,
                           int> = 0>
float fast_length(const A &a) {
  return half_precision::sqrt(detail::dot_in<float>(a, a));
}
template <
    class A, class B,
    std::enable_if_t<detail::has_length<A>() && std::is_same_v<detail::element_of<A>, float> &&
                         std::is_same_v<detail::geometric<A>, detail::geometric<B>>,
                     int> = 0>
float fast_distance(const A &a, const B &b) {
  return fast_length(detail::geometric<A>(a) - detail::geometric<A>(b));
}
template <class A,
          std::enable_if_t<detail::has_length<A>() && std::is_same_v<detail::element_of<A>, float>,
                           int> = 0>
detail::geometric<A> fast_normalize(const A &a) {
  const float square = detail::dot_in<float>(a, a);
  return square == 0.0f
             ? detail::geometric<A>(a)
             : detail::geometric<A>(detail::geometric<A>(a) * half_precision::rsqrt(square));
}

// The cross product of three elements, or of four, where the last element of the result is 0.
template <class A, class B,
          std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A>() &&
                               std::is_same_v<detail::geometric<A>, detail::geometric<B>>,
                           int> = 0,
          std::enable_if_t<detail::whole<A>::size() == 3 || detail::whole<A>::size() == 4, int> = 0>
constexpr auto cross(const A &a, const B &b) {
  using W = detail::whole<A>;
  using E = typename W::value_type;
  const W p(a), q(b);
  const E x = p[1] * q[2] - p[2] * q[1], y = p[2] * q[0] - p[0] * q[2],
          z = p[0] * q[1] - p[1] * q[0];
  if constexpr (W::size() == 3)
    return W(x, y, z);
  else
    return W(x, y, z, E(0));
}

#undef LOCKSTEP_GEOMETRIC_1
#undef LOCKSTEP_GEOMETRIC_2

} // namespace sycl
