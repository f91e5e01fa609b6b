// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// aspect (SYCL 2020, section 4.6.4.3): the optional features that a device can have.
#pragma once

#include <type_traits>

namespace sycl {

enum class aspect : int {
#define __SYCL_ASPECT(name, number) name = number,
#include "sycl/info/aspects.def"
#undef __SYCL_ASPECT
};

template <aspect Aspect>
struct any_device_has
    : std::bool_constant<Aspect == aspect::cpu || Aspect == aspect::host_debuggable ||
                         (Aspect >= aspect::fp16 && Aspect <= aspect::ext_intel_free_memory) ||
                         (Aspect >= aspect::ext_oneapi_ballot_group &&
                          Aspect <= aspect::ext_oneapi_opportunistic_group)> {};
template <aspect Aspect> struct all_devices_have : any_device_has<Aspect> {};
template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl
