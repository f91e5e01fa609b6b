// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Common functions (SYCL 2020, section 4.17.7).
#pragma once

#include "sycl/detail/each_element.hpp"

namespace sycl {

namespace detail {
template <class... T> constexpr bool are_halves = (std::is_same_v<T, half> && ...);
}

// The overloads for half are templates, so that overload resolution prefers the program's own
// overloads for half. With an explicit type all arguments must be half: clamp<half>(x, 0, 1) does
// not match and is left to a template of the program.
#define LOCKSTEP_COMMON(X, arity, name, parameters, ...)                                           \
  constexpr float name X(float, parameters) {                                                      \
    using T = float;                                                                               \
    return T(__VA_ARGS__);                                                                         \
  }                                                                                                \
  constexpr double name X(double, parameters) {                                                    \
    using T = double;                                                                              \
    return T(__VA_ARGS__);                                                                         \
  }                                                                                                \
  namespace detail::of_halves {                                                                    \
  constexpr half name X(half, parameters) {                                                        \
    using T = half;                                                                                \
    return T(__VA_ARGS__);                                                                         \
  }                                                                                                \
  }                                                                                                \
  template <                                                                                       \
      int = 0, class A, class... Rest,                                                             \
      std::enable_if_t<sizeof...(Rest) + 1 == arity && detail::are_halves<A, Rest...>, int> = 0>   \
  constexpr half name(A x, Rest... rest) {                                                         \
    return detail::of_halves::name(x, rest...);                                                    \
  }                                                                                                \
  template <class T, class A, class... Rest,                                                       \
            std::enable_if_t<sizeof...(Rest) + 1 == arity && detail::are_halves<T, A, Rest...>,    \
                             int> = 0>                                                             \
  constexpr T name(A x, Rest... rest) {                                                            \
    return name(x, rest...);                                                                       \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_##arity(floating, name)                                                    \
      LOCKSTEP_GIVEN_##arity(floating, (std::is_same_v<T, half> ? 2 : 1), name)
#define LOCKSTEP_OF_1(T, x) (T x)
#define LOCKSTEP_OF_2(T, x) (T x, T y)
#define LOCKSTEP_OF_3(T, x) (T x, T y, T z)

LOCKSTEP_COMMON(LOCKSTEP_OF_1, 1, degrees, x, T(57.295779513082320876798) * x)
LOCKSTEP_COMMON(LOCKSTEP_OF_1, 1, radians, x, T(0.017453292519943295769237) * x)
LOCKSTEP_COMMON(LOCKSTEP_OF_1, 1, sign, x, x > T(0) ? T(1) : x < T(0) ? T(-1) : x == x ? x : T(0))
LOCKSTEP_COMMON(LOCKSTEP_OF_2, 2, max, x, x < y ? y : x)
LOCKSTEP_COMMON(LOCKSTEP_OF_2, 2, min, x, y < x ? y : x)
LOCKSTEP_COMMON(LOCKSTEP_OF_2, 2, step, x, y < x ? T(0) : T(1))
LOCKSTEP_COMMON(LOCKSTEP_OF_3, 3, clamp, x, min(max(x, y), z))
LOCKSTEP_COMMON(LOCKSTEP_OF_3, 3, mix, x, x + (y - x) * z)
LOCKSTEP_COMMON(LOCKSTEP_OF_3, 3, smoothstep, x, [](T t) {
  return t * t * (T(3) - T(2) * t);
}(clamp(T((z - x) / (y - x)), T(0), T(1))))

// The edges are scalars, and the template argument for the other arguments is explicit.
template <class T,
          std::enable_if_t<detail::are_wholes<detail::element_kind::floating, T>(), int> = 0>
constexpr auto step(typename T::value_type edge, const detail::given<T> &x) {
  return step(edge, x);
}
template <class T,
          std::enable_if_t<detail::are_wholes<detail::element_kind::floating, T>(), int> = 0>
constexpr auto smoothstep(typename T::value_type from, typename T::value_type to,
                          const detail::given<T> &x) {
  return smoothstep(from, to, x);
}

#undef LOCKSTEP_OF_3
#undef LOCKSTEP_OF_2
#undef LOCKSTEP_OF_1
#undef LOCKSTEP_COMMON

} // namespace sycl
