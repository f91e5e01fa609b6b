// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Relational functions (SYCL 2020, section 4.17.9). They test for NaN and infinity by the bits, so
// that they also work with -ffast-math.
#pragma once

#include "sycl/detail/each_element.hpp"

#include <cstdint>

namespace sycl {

namespace detail {

template <std::size_t Size>
using signed_bits = std::conditional_t<
    Size == 1, std::int8_t,
    std::conditional_t<Size == 2, std::int16_t,
                       std::conditional_t<Size == 4, std::int32_t, std::int64_t>>>;

template <class T> constexpr auto pattern_of(T value) {
  return bit_cast<signed_bits<sizeof(T)>>(value);
}
template <class T> constexpr auto magnitude_pattern(T value) {
  using bits = signed_bits<sizeof(T)>;
  return static_cast<bits>(pattern_of(value) & std::numeric_limits<bits>::max());
}
template <class T>
inline constexpr auto infinity_bits = pattern_of(std::numeric_limits<T>::infinity());
template <class T>
inline constexpr auto least_normal_bits = pattern_of(std::numeric_limits<T>::min());

// The representation of true and false for elements: -1 and 0 for vec, bool for marray.
template <class Whole> constexpr auto relation(bool value) {
  if constexpr (is_marray<Whole>)
    return value;
  else
    return truth<sizeof(typename Whole::value_type)>(value ? -1 : 0);
}

template <class T> constexpr bool is_negative(T value) {
  return value < T(0);
}
template <> constexpr bool is_negative(bool value) { // an element of marray<bool>
  return value;
}

template <class T> inline constexpr bool is_integer_whole = false;
template <class D, int N> inline constexpr bool is_integer_whole<vec<D, N>> = std::is_signed_v<D>;
template <class D, std::size_t N>
inline constexpr bool is_integer_whole<marray<D, N>> =
    std::is_integral_v<D> && (std::is_signed_v<D> || std::is_same_v<D, bool>);

template <std::size_t... At, class W>
constexpr bool any_of_elements(std::index_sequence<At...>, const W &of) {
  return (... || is_negative(of[At]));
}
template <std::size_t... At, class W>
constexpr bool all_of_elements(std::index_sequence<At...>, const W &of) {
  return (... && is_negative(of[At]));
}
template <class W> using answer = std::conditional_t<is_marray<W>, bool, int>;

template <class T> constexpr T select_bits(T a, T b, T c) {
  return bit_cast<T>(static_cast<signed_bits<sizeof(T)>>((pattern_of(a) & ~pattern_of(c)) |
                                                         (pattern_of(b) & pattern_of(c))));
}

template <class A, class B, class C> constexpr bool are_selectable() {
  using W = whole<A>;
  if constexpr (std::is_void_v<W> || !std::is_same_v<W, whole_argument<B>> ||
                std::is_void_v<whole_argument<C>>)
    return false;
  else if constexpr (is_marray<W>)
    return std::is_same_v<whole_argument<C>, with_element<W, bool>>;
  else
    return whole_argument<C>::size() == W::size() && !is_marray<whole_argument<C>> &&
           std::is_integral_v<typename whole_argument<C>::value_type> &&
           sizeof(typename whole_argument<C>::value_type) == sizeof(typename W::value_type);
}

} // namespace detail

#define LOCKSTEP_RELATION_1(name, ...)                                                             \
  constexpr bool name(float x) {                                                                   \
    using T = float;                                                                               \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  constexpr bool name(double x) {                                                                  \
    using T = double;                                                                              \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  constexpr bool name(half x) {                                                                    \
    using T = half;                                                                                \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  template <class A,                                                                               \
            std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A>(), int> = 0>    \
  constexpr auto name(const A &a) {                                                                \
    using W = detail::whole<A>;                                                                    \
    using E = typename W::value_type;                                                              \
    return detail::each_element([](E x) { return detail::relation<W>(name(x)); }, a);              \
  }
#define LOCKSTEP_RELATION_2(name, ...)                                                             \
  constexpr bool name(float x, float y) {                                                          \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  constexpr bool name(double x, double y) {                                                        \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  constexpr bool name(half x, half y) {                                                            \
    return __VA_ARGS__;                                                                            \
  }                                                                                                \
  template <class A, class B,                                                                      \
            std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A, B>(), int> = 0> \
  constexpr auto name(const A &a, const B &b) {                                                    \
    using W = detail::whole<A, B>;                                                                 \
    using E = typename W::value_type;                                                              \
    return detail::each_element([](E x, E y) { return detail::relation<W>(name(x, y)); }, a, b);   \
  }

LOCKSTEP_RELATION_1(isfinite, detail::magnitude_pattern(x) < detail::infinity_bits<T>)
LOCKSTEP_RELATION_1(isinf, detail::magnitude_pattern(x) == detail::infinity_bits<T>)
LOCKSTEP_RELATION_1(isnan, detail::magnitude_pattern(x) > detail::infinity_bits<T>)
LOCKSTEP_RELATION_1(isnormal,
                    isfinite(x) && detail::magnitude_pattern(x) >= detail::least_normal_bits<T>)
LOCKSTEP_RELATION_1(signbit, detail::pattern_of(static_cast<T>(x)) < 0)
LOCKSTEP_RELATION_2(isequal, x == y)
LOCKSTEP_RELATION_2(isnotequal, x != y)
LOCKSTEP_RELATION_2(isgreater, x > y)
LOCKSTEP_RELATION_2(isgreaterequal, x >= y)
LOCKSTEP_RELATION_2(isless, x < y)
LOCKSTEP_RELATION_2(islessequal, x <= y)
LOCKSTEP_RELATION_2(islessgreater, x<y || x> y)
LOCKSTEP_RELATION_2(isordered, !isnan(x) && !isnan(y))
LOCKSTEP_RELATION_2(isunordered, isnan(x) || isnan(y))

#undef LOCKSTEP_RELATION_1
#undef LOCKSTEP_RELATION_2

#define LOCKSTEP_QUANTIFIER(name)                                                                  \
  template <class A, std::enable_if_t<detail::is_integer_whole<detail::whole<A>>, int> = 0>        \
  constexpr auto name(const A &a) {                                                                \
    using W = detail::whole<A>;                                                                    \
    return detail::answer<W>(                                                                      \
        detail::name##_of_elements(std::make_index_sequence<W::size()>(), W(a)));                  \
  }                                                                                                \
  template <class T, std::enable_if_t<std::is_integral_v<T> && std::is_signed_v<T>, long> = 0>     \
  [[deprecated("of numbers: deprecated in SYCL 2020")]] constexpr bool name(T x) {                 \
    return x < 0;                                                                                  \
  }
LOCKSTEP_QUANTIFIER(any)
LOCKSTEP_QUANTIFIER(all)
#undef LOCKSTEP_QUANTIFIER

template <class T, std::enable_if_t<detail::is_countable<T> && !std::is_same_v<T, half>, int> = 0>
constexpr T bitselect(T a, T b, T c) {
  return detail::select_bits(a, b, c);
}
// Accepts any arguments, without an explicit type, as in common_functions.hpp.
template <
    int = 0, class A, class B, class C,
    std::enable_if_t<std::is_same_v<A, half> && std::is_same_v<B, half> && std::is_same_v<C, half>,
                     int> = 0>
constexpr half bitselect(A a, B b, C c) {
  return detail::select_bits(a, b, c);
}
template <
    class A, class B, class C,
    std::enable_if_t<detail::are_wholes<detail::element_kind::numbers, A, B, C>() &&
                         std::is_same_v<detail::whole_argument<A>, detail::whole_argument<B>> &&
                         std::is_same_v<detail::whole_argument<A>, detail::whole_argument<C>>,
                     int> = 0>
constexpr auto bitselect(const A &a, const B &b, const C &c) {
  using E = detail::whole_element<A>;
  return detail::each_element([](E x, E y, E z) { return detail::select_bits(x, y, z); }, a, b, c);
}

LOCKSTEP_GIVEN_3(numbers, 2, bitselect)

template <class T, std::enable_if_t<detail::is_countable<T>, int> = 0>
constexpr T select(T a, T b, bool c) {
  return c ? b : a;
}
template <class A, class B, class C, std::enable_if_t<detail::are_selectable<A, B, C>(), int> = 0>
constexpr auto select(const A &a, const B &b, const C &c) {
  using E = detail::whole_element<A>;
  using Condition = detail::whole_element<C>;
  return detail::each_element(
      [](E x, E y, Condition z) {
        if constexpr (std::is_same_v<Condition, bool>)
          return z ? y : x;
        else
          return detail::pattern_of(z) < 0 ? y : x;
      },
      a, b, c);
}

} // namespace sycl
