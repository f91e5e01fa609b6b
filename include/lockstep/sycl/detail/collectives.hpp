// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The collectives of OpenCL C, by their mangled names, as C++ overloads: `reduce(scope, operation,
// value)` and the scans.
//
// Integers below 32 bits are computed as int or unsigned, which does not change results. Halves are
// computed as float, and the result is rounded once.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/functional.hpp"

namespace sycl::detail::collectives {

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_COLLECTIVE(name, type, symbol) type name(type) __asm__(symbol);
#else
#define LOCKSTEP_COLLECTIVE(name, type, symbol)                                                    \
  inline type name(type) {                                                                         \
    not_in_a_kernel();                                                                             \
  }
#endif

// `length` is the length of the function's name, which is part of the mangled name.
#define LOCKSTEP_INTEGERS(name, length)                                                            \
  LOCKSTEP_COLLECTIVE(name, int, "_Z" #length #name "i")                                           \
  LOCKSTEP_COLLECTIVE(name, unsigned, "_Z" #length #name "j")                                      \
  LOCKSTEP_COLLECTIVE(name, long, "_Z" #length #name "l")                                          \
  LOCKSTEP_COLLECTIVE(name, unsigned long, "_Z" #length #name "m")
#define LOCKSTEP_NUMBERS(name, length)                                                             \
  LOCKSTEP_INTEGERS(name, length)                                                                  \
  LOCKSTEP_COLLECTIVE(name, float, "_Z" #length #name "f")                                         \
  LOCKSTEP_COLLECTIVE(name, double, "_Z" #length #name "d")
#define LOCKSTEP_THREE(kind, prefix, op, reduce_length, scan_length)                               \
  kind(prefix##reduce_##op, reduce_length) kind(prefix##scan_inclusive_##op, scan_length)          \
      kind(prefix##scan_exclusive_##op, scan_length)

LOCKSTEP_THREE(LOCKSTEP_NUMBERS, work_group_, add, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, work_group_, mul, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, work_group_, min, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, work_group_, max, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, work_group_, and, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, work_group_, or, 20, 28)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, work_group_, xor, 21, 29)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, sub_group_non_uniform_, add, 32, 40)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, sub_group_non_uniform_, mul, 32, 40)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, sub_group_non_uniform_, min, 32, 40)
LOCKSTEP_THREE(LOCKSTEP_NUMBERS, sub_group_non_uniform_, max, 32, 40)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, sub_group_non_uniform_, and, 32, 40)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, sub_group_non_uniform_, or, 31, 39)
LOCKSTEP_THREE(LOCKSTEP_INTEGERS, sub_group_non_uniform_, xor, 32, 40)
LOCKSTEP_COLLECTIVE(work_group_any, int, "_Z14work_group_anyi")
LOCKSTEP_COLLECTIVE(work_group_all, int, "_Z14work_group_alli")
LOCKSTEP_COLLECTIVE(sub_group_any, int, "_Z13sub_group_anyi")
LOCKSTEP_COLLECTIVE(sub_group_all, int, "_Z13sub_group_alli")

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_MOVE(name, parameters, symbol) unsigned name parameters __asm__(symbol);
#else
#define LOCKSTEP_MOVE(name, parameters, symbol)                                                    \
  inline unsigned name parameters {                                                                \
    not_in_a_kernel();                                                                             \
  }
#endif
LOCKSTEP_MOVE(shuffle, (unsigned, unsigned), "_Z17sub_group_shufflejj")
LOCKSTEP_MOVE(shuffle_xor, (unsigned, unsigned), "_Z21sub_group_shuffle_xorjj")
LOCKSTEP_MOVE(shuffle_up, (unsigned, unsigned), "_Z20sub_group_shuffle_upjj")
LOCKSTEP_MOVE(shuffle_down, (unsigned, unsigned), "_Z22sub_group_shuffle_downjj")
LOCKSTEP_MOVE(broadcast, (unsigned, unsigned), "_Z31sub_group_non_uniform_broadcastjj")
LOCKSTEP_MOVE(work_group_broadcast, (unsigned, std::size_t, std::size_t, std::size_t),
              "_Z20work_group_broadcastjmmm")
#undef LOCKSTEP_COLLECTIVE
#undef LOCKSTEP_MOVE
#undef LOCKSTEP_INTEGERS
#undef LOCKSTEP_NUMBERS
#undef LOCKSTEP_THREE

// Returns a value of the type in which numbers of type T are computed.
template <class T> auto carrier_of() {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, half>,
                "group algorithms are of fundamental types and half (SYCL 2020 section 4.17.4)");
  if constexpr (std::is_floating_point_v<T>)
    return T();
  else if constexpr (std::is_same_v<T, half>)
    return float();
  else if constexpr (sizeof(T) <= 4)
    return std::conditional_t<std::is_signed_v<T>, int, unsigned>();
  else
    return std::conditional_t<std::is_signed_v<T>, long, unsigned long>();
}
template <class T> using carrier = decltype(carrier_of<T>());

enum class shape { reduce, inclusive, exclusive };

#define LOCKSTEP_BY_SHAPE(prefix, op)                                                              \
  (Shape == shape::reduce      ? prefix##reduce_##op(value)                                        \
   : Shape == shape::inclusive ? prefix##scan_inclusive_##op(value)                                \
                               : prefix##scan_exclusive_##op(value))
#define LOCKSTEP_BY_SCOPE(op)                                                                      \
  (OfWorkGroup ? LOCKSTEP_BY_SHAPE(work_group_, op) : LOCKSTEP_BY_SHAPE(sub_group_non_uniform_, op))

template <bool OfWorkGroup, shape Shape, operation Operation, class T> T compute(T value) {
  static_assert(Operation != operation::none,
                "the operation is none of sycl's function objects (SYCL 2020 section 4.17.2)");
  if constexpr (Operation == operation::add)
    return LOCKSTEP_BY_SCOPE(add);
  else if constexpr (Operation == operation::mul)
    return LOCKSTEP_BY_SCOPE(mul);
  else if constexpr (Operation == operation::min)
    return LOCKSTEP_BY_SCOPE(min);
  else if constexpr (Operation == operation::max)
    return LOCKSTEP_BY_SCOPE(max);
  else if constexpr (Operation == operation::bit_and)
    return LOCKSTEP_BY_SCOPE(and);
  else if constexpr (Operation == operation::bit_or)
    return LOCKSTEP_BY_SCOPE(or);
  else if constexpr (Operation == operation::bit_xor)
    return LOCKSTEP_BY_SCOPE(xor);
  else if constexpr (Operation == operation::logical_and) // the operands are 0 or 1
    return compute<OfWorkGroup, Shape, operation::min>(value != 0 ? T(1) : T(0));
  else
    return compute<OfWorkGroup, Shape, operation::max>(value != 0 ? T(1) : T(0));
}
#undef LOCKSTEP_BY_SCOPE
#undef LOCKSTEP_BY_SHAPE

// Moves a value of trivially copyable type between work-items, one 32-bit word at a time.
template <class T, class Move> T moved(const T &value, Move move) {
  static_assert(std::is_trivially_copyable_v<T>, "what is moved between work-items is bytes");
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  for (unsigned &word : bits)
    word = move(word);
  T result;
  __builtin_memcpy(&result, bits, sizeof(T));
  return result;
}

} // namespace sycl::detail::collectives
