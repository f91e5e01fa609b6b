// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// if_device_has: kernel code for devices with certain aspects (extension
// sycl_ext_oneapi_device_if). Aspects are known when a source is compiled, so code for other
// devices is not compiled.
#pragma once

#include "sycl/aspect.hpp"

#define SYCL_EXT_ONEAPI_DEVICE_IF 1

namespace sycl {
namespace detail {

template <bool IsDone> struct device_branch {
  template <aspect... Aspects, class Function> constexpr auto else_if_device_has(Function what) {
    if constexpr (IsDone) {
      return device_branch<true>();
    } else {
      constexpr bool is_taken = (all_devices_have_v<Aspects> && ...);
      if constexpr (is_taken)
        what();
      return device_branch<is_taken>();
    }
  }
  template <class Function> constexpr void otherwise(Function what) {
    if constexpr (!IsDone)
      what();
  }
};

} // namespace detail

namespace ext::oneapi::experimental {

template <aspect... Aspects, class Function> constexpr auto if_device_has(Function what) {
  return detail::device_branch<false>().template else_if_device_has<Aspects...>(what);
}

} // namespace ext::oneapi::experimental
} // namespace sycl
