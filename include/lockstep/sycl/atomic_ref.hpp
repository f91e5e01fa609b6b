// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// atomic_ref and atomic_fence (SYCL 2020, sections 4.15.1 and 4.15.3), implemented with clang's
// scoped atomics on device and host.
#pragma once

#include "sycl/memory_enums.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {

namespace detail::atomics {

constexpr int order_number(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return __ATOMIC_RELAXED;
  case memory_order::acquire:
    return __ATOMIC_ACQUIRE;
  case memory_order::release:
    return __ATOMIC_RELEASE;
  case memory_order::acq_rel:
    return __ATOMIC_ACQ_REL;
  default:
    return __ATOMIC_SEQ_CST;
  }
}

// The strongest order that a load, or a failed compare_exchange, can have.
constexpr memory_order without_release(memory_order order) {
  return order == memory_order::acq_rel   ? memory_order::acquire
         : order == memory_order::release ? memory_order::relaxed
                                          : order;
}
constexpr memory_order without_acquire(memory_order order) {
  return order == memory_order::acq_rel   ? memory_order::release
         : order == memory_order::acquire ? memory_order::relaxed
                                          : order;
}

// On a CPU the device scope orders as much as the system scope, but the host need not see such
// updates before the kernel ends (docs/decisions/0016-worker-copies.md). The narrower scopes stay
// distinct for the race checker.
constexpr int scope_number(memory_scope scope) {
  switch (scope) {
  case memory_scope::work_item:
    return __MEMORY_SCOPE_SINGLE;
  case memory_scope::sub_group:
    return __MEMORY_SCOPE_WVFRNT;
  case memory_scope::work_group:
    return __MEMORY_SCOPE_WRKGRP;
  case memory_scope::device:
    return __MEMORY_SCOPE_DEVICE;
  default:
    return __MEMORY_SCOPE_SYSTEM;
  }
}

} // namespace detail::atomics

inline void atomic_fence(memory_order order, memory_scope scope) {
  __scoped_atomic_thread_fence(detail::atomics::order_number(order),
                               detail::atomics::scope_number(scope));
}

template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
class atomic_ref {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomic types have 4 or 8 bytes");
  static_assert(std::is_arithmetic_v<T> || std::is_pointer_v<T>,
                "atomic types are numbers and pointers");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel ||
                    DefaultOrder == memory_order::seq_cst,
                "the default order is relaxed, acq_rel or seq_cst (SYCL 2020 section 4.15.3)");
  template <bool Condition> using only_if = std::enable_if_t<Condition, int>;

public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;
  static constexpr std::size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = detail::atomics::without_release(DefaultOrder);
  static constexpr memory_order default_write_order =
      detail::atomics::without_acquire(DefaultOrder);
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref(T &object) : pointer_(&object) {}
  atomic_ref(const atomic_ref &) noexcept = default;
  atomic_ref &operator=(const atomic_ref &) = delete;

  bool is_lock_free() const noexcept { return true; }
  void store(T value, memory_order order = default_write_order,
             memory_scope scope = default_scope) const noexcept {
    __scoped_atomic_store(pointer_, &value,
                          detail::atomics::order_number(detail::atomics::without_acquire(order)),
                          detail::atomics::scope_number(scope));
  }
  T operator=(T value) const noexcept {
    store(value);
    return value;
  }
  T load(memory_order order = default_read_order,
         memory_scope scope = default_scope) const noexcept {
    T value;
    __scoped_atomic_load(pointer_, &value,
                         detail::atomics::order_number(detail::atomics::without_release(order)),
                         detail::atomics::scope_number(scope));
    return value;
  }
  operator T() const noexcept { return load(); }
  T exchange(T value, memory_order order = default_read_modify_write_order,
             memory_scope scope = default_scope) const noexcept {
    T old;
    __scoped_atomic_exchange(pointer_, &value, &old, detail::atomics::order_number(order),
                             detail::atomics::scope_number(scope));
    return old;
  }
  bool compare_exchange_strong(T &expected, T desired, memory_order success, memory_order failure,
                               memory_scope scope = default_scope) const noexcept {
    return __scoped_atomic_compare_exchange(
        pointer_, &expected, &desired, false, detail::atomics::order_number(success),
        detail::atomics::order_number(failure), detail::atomics::scope_number(scope));
  }
  bool compare_exchange_strong(T &expected, T desired,
                               memory_order order = default_read_modify_write_order,
                               memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order,
                                   detail::atomics::without_release(order), scope);
  }
  bool compare_exchange_weak(T &expected, T desired, memory_order success, memory_order failure,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, success, failure, scope);
  }
  bool compare_exchange_weak(T &expected, T desired,
                             memory_order order = default_read_modify_write_order,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, scope);
  }

#define LOCKSTEP_FETCH(name, builtin, condition)                                                   \
  template <class U = T, only_if<condition<U>> = 0>                                                \
  T name(difference_type operand, memory_order order = default_read_modify_write_order,            \
         memory_scope scope = default_scope) const noexcept {                                      \
    return builtin(pointer_, operand, detail::atomics::order_number(order),                        \
                   detail::atomics::scope_number(scope));                                          \
  }
  LOCKSTEP_FETCH(fetch_add, __scoped_atomic_fetch_add, std::is_arithmetic_v)
  LOCKSTEP_FETCH(fetch_sub, __scoped_atomic_fetch_sub, std::is_arithmetic_v)
  LOCKSTEP_FETCH(fetch_min, __scoped_atomic_fetch_min, std::is_arithmetic_v)
  LOCKSTEP_FETCH(fetch_max, __scoped_atomic_fetch_max, std::is_arithmetic_v)
  LOCKSTEP_FETCH(fetch_and, __scoped_atomic_fetch_and, std::is_integral_v)
  LOCKSTEP_FETCH(fetch_or, __scoped_atomic_fetch_or, std::is_integral_v)
  LOCKSTEP_FETCH(fetch_xor, __scoped_atomic_fetch_xor, std::is_integral_v)
#undef LOCKSTEP_FETCH
  template <class U = T, only_if<std::is_pointer_v<U>> = 0, class = void>
  T fetch_add(std::ptrdiff_t count, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    auto *bits = reinterpret_cast<std::ptrdiff_t *>(pointer_);
    return reinterpret_cast<T>(__scoped_atomic_fetch_add(
        bits, count * std::ptrdiff_t(sizeof(*std::declval<U>())),
        detail::atomics::order_number(order), detail::atomics::scope_number(scope)));
  }
  template <class U = T, only_if<std::is_pointer_v<U>> = 0, class = void>
  T fetch_sub(std::ptrdiff_t count, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    return fetch_add(-count, order, scope);
  }

  T operator+=(difference_type operand) const noexcept { return fetch_add(operand) + operand; }
  T operator-=(difference_type operand) const noexcept { return fetch_sub(operand) - operand; }
  T operator++() const noexcept { return *this += 1; }
  T operator--() const noexcept { return *this -= 1; }
  T operator++(int) const noexcept { return fetch_add(1); }
  T operator--(int) const noexcept { return fetch_sub(1); }
  template <class U = T, only_if<std::is_integral_v<U>> = 0>
  T operator&=(T operand) const noexcept {
    return fetch_and(operand) & operand;
  }
  template <class U = T, only_if<std::is_integral_v<U>> = 0>
  T operator|=(T operand) const noexcept {
    return fetch_or(operand) | operand;
  }
  template <class U = T, only_if<std::is_integral_v<U>> = 0>
  T operator^=(T operand) const noexcept {
    return fetch_xor(operand) ^ operand;
  }

private:
  T *pointer_;
};

} // namespace sycl
