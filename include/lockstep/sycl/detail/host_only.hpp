// A member that belongs to the host: kernels are given the bytes of objects, not copies made by C++, so on the device it is
// only room. It must not count references there.
#pragma once

#include <cstddef>
#include <memory>

namespace sycl::detail {

#ifdef __SYCL_DEVICE_ONLY__
template <class T> struct host_only {
  void *room[2];
  host_only() = default;
  template <class Other> host_only(Other &&) {}
};
static_assert(sizeof(host_only<int>) == sizeof(std::shared_ptr<int>));
#else
template <class T> using host_only = std::shared_ptr<T>;
#endif

} // namespace sycl::detail
