// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The architecture of a device (extension sycl_ext_oneapi_device_architecture): the queries of the
// host. if_architecture_is does not exist: kernels are compiled for a device when they are
// launched, and its branches must be known when their source is compiled. So the extension has no
// macro.
#pragma once

#include "sycl/info.hpp"

namespace sycl::ext::oneapi::experimental {

enum class architecture : int {
#define __SYCL_ARCHITECTURE(name, number) name = number,
#define __SYCL_ARCHITECTURE_ALIAS(alias, name) alias = name,
#include "sycl/ext/oneapi/experimental/device_architecture.def"
#undef __SYCL_ARCHITECTURE
#undef __SYCL_ARCHITECTURE_ALIAS
};

enum class arch_category : int { intel_gpu = 1, nvidia_gpu = 2, amd_gpu = 3 };

namespace info::device {
// x86_64 for CPUs of that instruction set; an unlisted device is `unknown`.
struct architecture {
  using return_type = experimental::architecture;
  static constexpr int number = 133;
};
} // namespace info::device

} // namespace sycl::ext::oneapi::experimental
