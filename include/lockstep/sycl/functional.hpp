// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Function objects for group algorithms and reductions (SYCL 2020, section 4.17.2).
#pragma once

#include "sycl/detail/standard.hpp"
#include "sycl/half.hpp"

#include <limits>
#include <type_traits>

namespace sycl {

template <class T = void> using plus = std::plus<T>;
template <class T = void> using multiplies = std::multiplies<T>;
template <class T = void> using bit_and = std::bit_and<T>;
template <class T = void> using bit_or = std::bit_or<T>;
template <class T = void> using bit_xor = std::bit_xor<T>;
template <class T = void> using logical_and = std::logical_and<T>;
template <class T = void> using logical_or = std::logical_or<T>;

namespace detail {

// Chooses between two numbers, or element by element between two values of type vec or marray.
template <class T, class Less> constexpr T chosen(const T &a, const T &b, Less takes_second) {
  if constexpr (std::is_convertible_v<decltype(a < b), bool>) {
    return takes_second(a, b) ? b : a;
  } else {
    T result = a;
    for (std::size_t i = 0; i < T::size(); ++i)
      if (takes_second(a[i], b[i]))
        result[i] = b[i];
    return result;
  }
}

} // namespace detail

template <class T = void> struct minimum {
  constexpr T operator()(const T &a, const T &b) const {
    return detail::chosen(a, b, [](const auto &x, const auto &y) { return y < x; });
  }
};
template <> struct minimum<void> {
  using is_transparent = void;
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const {
    using both = std::common_type_t<A, B>;
    return minimum<both>()(a, b);
  }
};
template <class T = void> struct maximum {
  constexpr T operator()(const T &a, const T &b) const {
    return detail::chosen(a, b, [](const auto &x, const auto &y) { return x < y; });
  }
};
template <> struct maximum<void> {
  using is_transparent = void;
  template <class A, class B> constexpr auto operator()(const A &a, const B &b) const {
    using both = std::common_type_t<A, B>;
    return maximum<both>()(a, b);
  }
};

namespace detail {

enum class operation {
  add,
  mul,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  none
};

template <class Function> inline constexpr operation operation_of = operation::none;
template <class T> inline constexpr operation operation_of<std::plus<T>> = operation::add;
template <class T> inline constexpr operation operation_of<std::multiplies<T>> = operation::mul;
template <class T> inline constexpr operation operation_of<minimum<T>> = operation::min;
template <class T> inline constexpr operation operation_of<maximum<T>> = operation::max;
template <class T> inline constexpr operation operation_of<std::bit_and<T>> = operation::bit_and;
template <class T> inline constexpr operation operation_of<std::bit_or<T>> = operation::bit_or;
template <class T> inline constexpr operation operation_of<std::bit_xor<T>> = operation::bit_xor;
template <class T>
inline constexpr operation operation_of<std::logical_and<T>> = operation::logical_and;
template <class T>
inline constexpr operation operation_of<std::logical_or<T>> = operation::logical_or;

template <operation Operation>
inline constexpr bool is_of_numbers = Operation == operation::add || Operation == operation::mul ||
                                      Operation == operation::min || Operation == operation::max;

template <operation Operation, class T> constexpr T identity_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (Operation == operation::mul || Operation == operation::logical_and)
    return T(1);
  else if constexpr (Operation == operation::bit_and)
    return static_cast<T>(~T(0));
  else if constexpr (Operation == operation::min)
    return limits::has_infinity ? limits::infinity() : limits::max();
  else if constexpr (Operation == operation::max)
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  else
    return T(0);
}

// Maps an operation to the function object that applies it to the elements of a vec or marray,
// whatever type the original function object names.
template <operation Operation> struct function_of_operation;
template <> struct function_of_operation<operation::add> {
  template <class E> using of = std::plus<E>;
};
template <> struct function_of_operation<operation::mul> {
  template <class E> using of = std::multiplies<E>;
};
template <> struct function_of_operation<operation::min> {
  template <class E> using of = minimum<E>;
};
template <> struct function_of_operation<operation::max> {
  template <class E> using of = maximum<E>;
};
template <> struct function_of_operation<operation::bit_and> {
  template <class E> using of = std::bit_and<E>;
};
template <> struct function_of_operation<operation::bit_or> {
  template <class E> using of = std::bit_or<E>;
};
template <> struct function_of_operation<operation::bit_xor> {
  template <class E> using of = std::bit_xor<E>;
};
template <> struct function_of_operation<operation::logical_and> {
  template <class E> using of = std::logical_and<E>;
};
template <> struct function_of_operation<operation::logical_or> {
  template <class E> using of = std::logical_or<E>;
};
template <class Function, class E> constexpr auto element_function() {
  static_assert(operation_of<Function> != operation::none,
                "the operation is not one of sycl's function objects (SYCL 2020 section 4.17.2)");
  return typename function_of_operation<operation_of<Function>>::template of<E>();
}
template <class Function, class E>
using element_function_type = decltype(element_function<Function, E>());

} // namespace detail

template <class Function, class T>
struct has_known_identity
    : std::bool_constant<detail::operation_of<Function> != detail::operation::none &&
                         (std::is_arithmetic_v<std::remove_cv_t<T>> ||
                          (std::is_same_v<std::remove_cv_t<T>, half> &&
                           detail::is_of_numbers<detail::operation_of<Function>>))> {};
template <class Function, class T>
inline constexpr bool has_known_identity_v = has_known_identity<Function, T>::value;
template <class Function, class T> struct known_identity {
  static constexpr std::remove_cv_t<T> value =
      detail::identity_of<detail::operation_of<Function>, std::remove_cv_t<T>>();
};
template <class Function, class T>
inline constexpr std::remove_cv_t<T> known_identity_v = known_identity<Function, T>::value;

} // namespace sycl
