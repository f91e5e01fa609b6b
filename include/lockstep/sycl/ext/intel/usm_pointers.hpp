// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sycl_ext_intel_usm_address_spaces: pointers to device and host allocations, which are global
// pointers here.
#pragma once

#include "sycl/multi_ptr.hpp"

#define SYCL_EXT_INTEL_USM_ADDRESS_SPACES 2

namespace sycl::ext::intel {

template <class T, access::decorated Decorated = access::decorated::legacy>
using device_ptr = multi_ptr<T, access::address_space::ext_intel_global_device_space, Decorated>;
template <class T, access::decorated Decorated = access::decorated::legacy>
using host_ptr = multi_ptr<T, access::address_space::ext_intel_global_host_space, Decorated>;

template <class T> using raw_device_ptr = device_ptr<T, access::decorated::no>;
template <class T> using raw_host_ptr = host_ptr<T, access::decorated::no>;
template <class T> using decorated_device_ptr = device_ptr<T, access::decorated::yes>;
template <class T> using decorated_host_ptr = host_ptr<T, access::decorated::yes>;

} // namespace sycl::ext::intel
