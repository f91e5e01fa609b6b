// Aspects of devices (SYCL 2020, section 4.6.4.3).
#pragma once

#include <type_traits>

namespace sycl {

enum class aspect : int {
  cpu,
  gpu,
  accelerator,
  custom,
  emulated,
  host_debuggable,
  fp16,
  fp64,
  atomic64,
  image,
  online_compiler,
  online_linker,
  queue_profiling,
  usm_device_allocations,
  usm_host_allocations,
  usm_atomic_host_allocations,
  usm_shared_allocations,
  usm_atomic_shared_allocations,
  usm_system_allocations,
  ext_oneapi_graph,
  ext_oneapi_limited_graph,
};

template <aspect Aspect>
struct any_device_has
    : std::bool_constant<Aspect == aspect::cpu || Aspect == aspect::host_debuggable ||
                         (Aspect >= aspect::fp16 && Aspect <= aspect::ext_oneapi_limited_graph)> {};
template <aspect Aspect> struct all_devices_have : any_device_has<Aspect> {};
template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl
