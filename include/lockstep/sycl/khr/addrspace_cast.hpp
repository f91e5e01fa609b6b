// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Casts raw and generic pointers to an address space: unchecked (sycl_khr_static_addrspace_cast),
// or with a query at run time (sycl_khr_dynamic_addrspace_cast).
#pragma once

#include "sycl/detail/library.hpp"
#include "sycl/multi_ptr.hpp"

namespace sycl {

namespace detail {

#ifdef __SYCL_DEVICE_ONLY__
// OpenCL C's to_global, to_local and to_private: null if the pointer is in another address space.
__attribute__((opencl_global)) void *to_global(void *pointer) __asm__("__to_global");
__attribute__((opencl_local)) void *to_local(void *pointer) __asm__("__to_local");
__attribute__((opencl_private)) void *to_private(void *pointer) __asm__("__to_private");
#else
inline void *to_global(void *) {
  not_in_a_kernel();
}
inline void *to_local(void *) {
  not_in_a_kernel();
}
inline void *to_private(void *) {
  not_in_a_kernel();
}
#endif

template <access::address_space Space> bool points_into(const void *pointer) {
  using space = access::address_space;
  void *const any = const_cast<void *>(pointer);
  if constexpr (Space == space::global_space || Space == space::constant_space)
    return to_global(any) != nullptr;
  else if constexpr (Space == space::local_space)
    return to_local(any) != nullptr;
  else if constexpr (Space == space::private_space)
    return to_private(any) != nullptr;
  else
    return true;
}

} // namespace detail

namespace khr {

template <access::address_space Space, class T>
multi_ptr<T, Space, access::decorated::no> static_addrspace_cast(T *pointer) {
  return address_space_cast<Space, access::decorated::no>(pointer);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated>
static_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  return address_space_cast<Space, Decorated>(pointer.get_raw());
}

template <access::address_space Space, class T>
multi_ptr<T, Space, access::decorated::no> dynamic_addrspace_cast(T *pointer) {
  return static_addrspace_cast<Space>(detail::points_into<Space>(pointer) ? pointer : nullptr);
}
template <access::address_space Space, class T, access::decorated Decorated>
multi_ptr<T, Space, Decorated>
dynamic_addrspace_cast(multi_ptr<T, access::address_space::generic_space, Decorated> pointer) {
  T *raw = pointer.get_raw();
  return address_space_cast<Space, Decorated>(detail::points_into<Space>(raw) ? raw : nullptr);
}

} // namespace khr

} // namespace sycl
