// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists the operators of vec, its swizzles and marray, each with the element types that have it.
#pragma once

#include "sycl/half.hpp"

#include <cstddef>
#include <type_traits>

namespace sycl::detail {

template <class T> inline constexpr bool is_any = true;
template <class T>
inline constexpr bool is_floating = std::is_floating_point_v<T> || std::is_same_v<T, half>;
template <class T> inline constexpr bool is_number = std::is_arithmetic_v<T> || is_floating<T>;
template <class T> inline constexpr bool is_integer = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_bits = std::is_integral_v<T> || std::is_same_v<T, std::byte>;
template <class T>
inline constexpr bool is_countable = is_number<T> && !std::is_same_v<T, bool>; // supports ++ and --

} // namespace sycl::detail

// Operators whose result has the element type, and which have a compound assignment.
#define LOCKSTEP_ELEMENT_ARITHMETIC(X)                                                             \
  X(+, is_number)                                                                                  \
  X(-, is_number)                                                                                  \
  X(*, is_number)                                                                                  \
  X(/, is_number)                                                                                  \
  X(%, is_integer)                                                                                 \
  X(&, is_bits)                                                                                    \
  X(|, is_bits)                                                                                    \
  X(^, is_bits)                                                                                    \
  X(<<, is_integer)                                                                                \
  X(>>, is_integer)

// Operators that return a truth value.
#define LOCKSTEP_ELEMENT_COMPARISONS(X)                                                            \
  X(==, is_any)                                                                                    \
  X(!=, is_any)                                                                                    \
  X(<, is_any)                                                                                     \
  X(>, is_any)                                                                                     \
  X(<=, is_any)                                                                                    \
  X(>=, is_any)                                                                                    \
  X(&&, is_number)                                                                                 \
  X(||, is_number)
