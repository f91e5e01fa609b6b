// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operators that half and bfloat16 share. These 16-bit numbers compute in a wider type and mix
// with C++'s arithmetic types.
//
// The namespace contains nothing else. Argument-dependent lookup for half and bfloat16 searches it,
// so further functions could hide those of the program.
#pragma once

#include <type_traits>

namespace sycl::detail::small_numbers {

// Each number class specializes this before its definition, because a class is incomplete where its
// operators are declared. Members:
//   value: the type in which two such numbers are computed before rounding
//   mixes_with<T>: whether operators with a T exist
//   mixed<T>, result<T>: their computation type and their result type
template <class Number> struct number_traits;

template <class Number> constexpr auto value_of_number(const Number &of) {
  using value = typename number_traits<Number>::value;
  if constexpr (sizeof(value) == sizeof(Number))
    return __builtin_bit_cast(value, of);
  else
    return static_cast<value>(of);
}

template <class Number> struct number_operators {
private:
  using traits = number_traits<Number>;
  template <class T> using if_mixed = std::enable_if_t<traits::template mixes_with<T>, int>;

public:
#define LOCKSTEP_BINARY(op)                                                                        \
  friend constexpr Number operator op(const Number &a, const Number &b) {                          \
    return Number(static_cast<float>(value_of_number(a) op value_of_number(b)));                   \
  }                                                                                                \
  template <class T, if_mixed<T> = 0>                                                              \
  friend constexpr typename traits::template result<T> operator op(const Number &a, const T &b) {  \
    using mixed = typename traits::template mixed<T>;                                              \
    return static_cast<mixed>(a) op static_cast<mixed>(b);                                         \
  }                                                                                                \
  template <class T, if_mixed<T> = 0>                                                              \
  friend constexpr typename traits::template result<T> operator op(const T &a, const Number &b) {  \
    using mixed = typename traits::template mixed<T>;                                              \
    return static_cast<mixed>(a) op static_cast<mixed>(b);                                         \
  }                                                                                                \
  friend constexpr Number &operator op## = (Number & a, const Number &b) { return a = a op b; }
  LOCKSTEP_BINARY(+)
  LOCKSTEP_BINARY(-)
  LOCKSTEP_BINARY(*)
  LOCKSTEP_BINARY(/)
#undef LOCKSTEP_BINARY
#define LOCKSTEP_COMPARING(op)                                                                     \
  friend constexpr bool operator op(const Number &a, const Number &b) {                            \
    return value_of_number(a) op value_of_number(b);                                               \
  }                                                                                                \
  template <class T, if_mixed<T> = 0>                                                              \
  friend constexpr bool operator op(const Number &a, const T &b) {                                 \
    using mixed = typename traits::template mixed<T>;                                              \
    return static_cast<mixed>(a) op static_cast<mixed>(b);                                         \
  }                                                                                                \
  template <class T, if_mixed<T> = 0>                                                              \
  friend constexpr bool operator op(const T &a, const Number &b) {                                 \
    using mixed = typename traits::template mixed<T>;                                              \
    return static_cast<mixed>(a) op static_cast<mixed>(b);                                         \
  }
  LOCKSTEP_COMPARING(==)
  LOCKSTEP_COMPARING(!=)
  LOCKSTEP_COMPARING(<)
  LOCKSTEP_COMPARING(>)
  LOCKSTEP_COMPARING(<=)
  LOCKSTEP_COMPARING(>=)
#undef LOCKSTEP_COMPARING
  friend constexpr Number &operator++(Number &a) { return a = a + Number(1.0f); }
  friend constexpr Number &operator--(Number &a) { return a = a - Number(1.0f); }
  friend constexpr Number operator++(Number &a, int) {
    const Number before = a;
    ++a;
    return before;
  }
  friend constexpr Number operator--(Number &a, int) {
    const Number before = a;
    --a;
    return before;
  }
};

} // namespace sycl::detail::small_numbers
