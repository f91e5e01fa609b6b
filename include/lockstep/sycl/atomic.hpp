// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// atomic (SYCL 1.2.1, section 4.11; deprecated in SYCL 2020, section 4.15.2): a wrapper of
// atomic_ref.
#pragma once

#include "sycl/atomic_ref.hpp"
#include "sycl/multi_ptr.hpp"

namespace sycl {

namespace detail {
template <class T, access::address_space Space>
using atomic_ref_of = atomic_ref<T, memory_order::relaxed, memory_scope::device, Space>;
}

#define LOCKSTEP_FETCHES(X)                                                                        \
  X(exchange)                                                                                      \
  X(fetch_add)                                                                                     \
  X(fetch_sub)                                                                                     \
  X(fetch_and)                                                                                     \
  X(fetch_or)                                                                                      \
  X(fetch_xor)                                                                                     \
  X(fetch_min)                                                                                     \
  X(fetch_max)

template <class T, access::address_space AddressSpace = access::address_space::global_space>
class atomic : detail::atomic_ref_of<T, AddressSpace> {
  using base = detail::atomic_ref_of<T, AddressSpace>;

public:
  template <class Pointer, access::decorated Decorated>
  atomic(multi_ptr<Pointer, AddressSpace, Decorated> to) : base(*to.get_raw()) {
    static_assert(std::is_same_v<T, Pointer>, "an atomic is made of a pointer to its type");
  }
#define LOCKSTEP_FETCH(name)                                                                       \
  T name(T operand, memory_order order = memory_order::relaxed) {                                  \
    return base::name(operand, order);                                                             \
  }
  LOCKSTEP_FETCHES(LOCKSTEP_FETCH)
#undef LOCKSTEP_FETCH
  void store(T operand, memory_order order = memory_order::relaxed) { base::store(operand, order); }
  T load(memory_order order = memory_order::relaxed) const { return base::load(order); }
  bool compare_exchange_strong(T &expected, T desired, memory_order success = memory_order::relaxed,
                               memory_order failure = memory_order::relaxed) {
    return base::compare_exchange_strong(expected, desired, success, failure);
  }
};

#define LOCKSTEP_DEPRECATED [[deprecated("sycl::atomic is deprecated: use atomic_ref")]]
#define LOCKSTEP_FETCH(name)                                                                       \
  template <class T, access::address_space Space>                                                  \
  LOCKSTEP_DEPRECATED T atomic_##name(atomic<T, Space> object, T operand,                          \
                                      memory_order order = memory_order::relaxed) {                \
    return object.name(operand, order);                                                            \
  }
LOCKSTEP_FETCHES(LOCKSTEP_FETCH)
#undef LOCKSTEP_FETCHES
#undef LOCKSTEP_FETCH
template <class T, access::address_space Space>
LOCKSTEP_DEPRECATED void atomic_store(atomic<T, Space> object, T operand,
                                      memory_order order = memory_order::relaxed) {
  object.store(operand, order);
}
template <class T, access::address_space Space>
LOCKSTEP_DEPRECATED T atomic_load(atomic<T, Space> object,
                                  memory_order order = memory_order::relaxed) {
  return object.load(order);
}
template <class T, access::address_space Space>
LOCKSTEP_DEPRECATED bool
atomic_compare_exchange_strong(atomic<T, Space> object, T &expected, T desired,
                               memory_order success = memory_order::relaxed,
                               memory_order failure = memory_order::relaxed) {
  return object.compare_exchange_strong(expected, desired, success, failure);
}
#undef LOCKSTEP_DEPRECATED

} // namespace sycl
