// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// printf in kernels (extension sycl_ext_oneapi_experimental printf of DPC++). Conversions follow C.
// The output of each call is contiguous, and appears before a wait for the kernel returns.
#pragma once

#define SYCL_EXT_ONEAPI_PRINTF 1

#ifdef __SYCL_DEVICE_ONLY__
extern "C" int __lockstep_c_printf(const char *format, ...); // see tools/lockstep++/map_printf.h
#endif

namespace sycl::ext::oneapi::experimental {

template <class Format, class... Arguments>
int printf(const Format *format, Arguments... arguments) {
#ifdef __SYCL_DEVICE_ONLY__
  return __lockstep_c_printf(format, arguments...);
#else
  return __builtin_printf(format, arguments...);
#endif
}

} // namespace sycl::ext::oneapi::experimental
