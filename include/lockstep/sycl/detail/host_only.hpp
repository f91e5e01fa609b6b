// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A member that only the host uses. Kernels receive the bytes of objects, not copies made by C++,
// so on the device the member only reserves space and does not count references.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace sycl::detail {

class buffer_interface;

#ifdef __SYCL_DEVICE_ONLY__
// The library finds the buffer handles in function objects (tools/lockstep++/accessor_places.h) by
// their first word.
template <class T> struct [[clang::annotate("lockstep.accessor.buffer")]] host_only {
  static_assert(std::is_same_v<T, buffer_interface>);
  void *room[2];
  host_only() = default;
  template <class Other> host_only(Other &&) {}
};
static_assert(sizeof(host_only<buffer_interface>) == sizeof(std::shared_ptr<buffer_interface>));
#else
template <class T> using host_only = std::shared_ptr<T>;
#endif

} // namespace sycl::detail
