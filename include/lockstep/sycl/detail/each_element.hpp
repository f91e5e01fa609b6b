// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Applies functions of numbers element by element to vec, its swizzles and marray (SYCL 2020,
// section 4.17.1).
#pragma once

#include "sycl/marray.hpp"
#include "sycl/vec.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl::detail {

// The vec or marray type of an argument, which may be a swizzle; void if the argument is a number.
template <class T> struct whole_of_argument {
  using type = void;
};
template <class D, int N> struct whole_of_argument<vec<D, N>> {
  using type = vec<D, N>;
};
template <class D, int S, bool W, int... O> struct whole_of_argument<swizzled<D, S, W, O...>> {
  using type = vec<D, sizeof...(O)>;
};
template <class D, std::size_t N> struct whole_of_argument<marray<D, N>> {
  using type = marray<D, N>;
};
template <class T> using whole_argument = typename whole_of_argument<T>::type;

// The first type of the list that is not void.
template <class... T> struct first_whole {
  using type = void;
};
template <class First, class... Rest> struct first_whole<First, Rest...> {
  using type = typename std::conditional_t<std::is_void_v<whole_argument<First>>,
                                           first_whole<Rest...>, whole_of_argument<First>>::type;
};
template <class... T> using whole = typename first_whole<T...>::type;
template <class... T> using whole_element = typename whole<T...>::value_type;

template <class Whole, class Element> struct with_elements;
template <class D, int N, class E> struct with_elements<vec<D, N>, E> {
  using type = vec<E, N>;
};
template <class D, std::size_t N, class E> struct with_elements<marray<D, N>, E> {
  using type = marray<E, N>;
};
template <class Whole, class E> using with_element = typename with_elements<Whole, E>::type;

template <class Whole> inline constexpr bool is_marray = false;
template <class D, std::size_t N> inline constexpr bool is_marray<marray<D, N>> = true;

enum class element_kind { floating, single, integers, numbers };
template <element_kind Kind, class T> constexpr bool is_kind() {
  if constexpr (Kind == element_kind::floating)
    return is_floating<T>;
  else if constexpr (Kind == element_kind::single)
    return std::is_same_v<T, float>;
  else
    return is_countable<T> && (Kind == element_kind::numbers || is_integer<T>);
}

// Whether the arguments are vecs or marrays of one type, with optional numbers that apply to all
// elements.
template <element_kind Kind, class... T> constexpr bool are_wholes() {
  using W = whole<T...>;
  if constexpr (std::is_void_v<W>)
    return false;
  else
    return is_kind<Kind, typename W::value_type>() &&
           ((std::is_same_v<whole_argument<T>, W> ||
             (std::is_void_v<whole_argument<T>> &&
              std::is_convertible_v<T, typename W::value_type>)) &&
            ...);
}

// The specification also has templates for numbers: max<float, float>(a, b). These match only if
// the template arguments are explicit, so that calls with arguments of two types convert as for any
// function of numbers.
template <class T> struct given_type {
  using type = T;
};
template <class T> using given = typename given_type<T>::type;
template <element_kind Kind, std::size_t Most, class T, class... Rest> constexpr bool is_given() {
  return sizeof...(Rest) < Most && is_kind<Kind, T>() && (std::is_same_v<T, Rest> && ...);
}

template <std::size_t At, class T> constexpr auto element_at(const T &from) {
  if constexpr (std::is_void_v<whole_argument<T>>)
    return from;
  else
    return static_cast<std::decay_t<decltype(from[At])>>(from[At]);
}
template <std::size_t At, class Function, class... T>
constexpr auto for_element(Function function, const T &...of) {
  return function(element_at<At>(of)...);
}
template <class Whole, std::size_t... At, class Function, class... T>
constexpr auto each_of(std::index_sequence<At...>, Function function, const T &...of) {
  using result = with_element<Whole, decltype(for_element<0>(function, of...))>;
  return result(for_element<At>(function, of...)...);
}
template <class Function, class... T>
constexpr auto each_element(Function function, const T &...of) {
  using W = whole<T...>;
  return each_of<W>(std::make_index_sequence<W::size()>(), function, of...);
}

} // namespace sycl::detail

// Defines the function for vec and marray in terms of the function for numbers.
#define LOCKSTEP_EACH_ELEMENT_1(kind, name)                                                        \
  template <class A,                                                                               \
            std::enable_if_t<detail::are_wholes<detail::element_kind::kind, A>(), int> = 0>        \
  constexpr auto name(const A &a) {                                                                \
    using E = detail::whole_element<A>;                                                            \
    return detail::each_element([](E x) { return name(x); }, a);                                   \
  }
#define LOCKSTEP_EACH_ELEMENT_2(kind, name)                                                        \
  template <class A, class B,                                                                      \
            std::enable_if_t<detail::are_wholes<detail::element_kind::kind, A, B>(), int> = 0>     \
  constexpr auto name(const A &a, const B &b) {                                                    \
    using E = detail::whole_element<A, B>;                                                         \
    return detail::each_element([](E x, E y) { return name(x, y); }, a, b);                        \
  }
#define LOCKSTEP_EACH_ELEMENT_3(kind, name)                                                        \
  template <class A, class B, class C,                                                             \
            std::enable_if_t<detail::are_wholes<detail::element_kind::kind, A, B, C>(), int> = 0>  \
  constexpr auto name(const A &a, const B &b, const C &c) {                                        \
    using E = detail::whole_element<A, B, C>;                                                      \
    return detail::each_element([](E x, E y, E z) { return name(x, y, z); }, a, b, c);             \
  }
// Defines the overload for numbers with explicit template arguments. `least` is the smallest number
// of template arguments, because one of them may belong to the function itself.
#define LOCKSTEP_GIVEN_1(kind, least, name)                                                        \
  template <class T, class... Rest,                                                                \
            std::enable_if_t<(sizeof...(Rest) + 1 >= least) &&                                     \
                                 detail::is_given<detail::element_kind::kind, 1, T, Rest...>(),    \
                             int> = 0>                                                             \
  constexpr T name(detail::given<T> x) {                                                           \
    return name(x);                                                                                \
  }
#define LOCKSTEP_GIVEN_2(kind, least, name)                                                        \
  template <class T, class... Rest,                                                                \
            std::enable_if_t<(sizeof...(Rest) + 1 >= least) &&                                     \
                                 detail::is_given<detail::element_kind::kind, 2, T, Rest...>(),    \
                             int> = 0>                                                             \
  constexpr T name(detail::given<T> x, detail::given<T> y) {                                       \
    return name(x, y);                                                                             \
  }
#define LOCKSTEP_GIVEN_3(kind, least, name)                                                        \
  template <class T, class... Rest,                                                                \
            std::enable_if_t<(sizeof...(Rest) + 1 >= least) &&                                     \
                                 detail::is_given<detail::element_kind::kind, 3, T, Rest...>(),    \
                             int> = 0>                                                             \
  constexpr T name(detail::given<T> x, detail::given<T> y, detail::given<T> z) {                   \
    return name(x, y, z);                                                                          \
  }
