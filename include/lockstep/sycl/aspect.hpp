// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// aspect (SYCL 2020, section 4.6.4.3): the optional features that a device can have.
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
  ext_intel_device_info_uuid,
  ext_intel_free_memory,
  // sycl_ext_intel_device_info defines further aspects; no device has these.
  ext_intel_device_id,
  ext_intel_pci_address,
  ext_intel_gpu_eu_simd_width,
  ext_intel_gpu_eu_count,
  ext_intel_gpu_slices,
  ext_intel_gpu_subslices_per_slice,
  ext_intel_gpu_eu_count_per_subslice,
  ext_intel_gpu_hw_threads_per_eu,
  ext_intel_max_mem_bandwidth,
  ext_intel_memory_clock_rate,
  ext_intel_memory_bus_width,
  // sycl_ext_oneapi_composite_device defines these; no device has them.
  ext_oneapi_is_composite,
  ext_oneapi_is_component,
  ext_oneapi_ballot_group,
  ext_oneapi_fixed_size_group,
  ext_oneapi_tangle_group,
  ext_oneapi_opportunistic_group,
};

template <aspect Aspect>
struct any_device_has
    : std::bool_constant<Aspect == aspect::cpu || Aspect == aspect::host_debuggable ||
                         (Aspect >= aspect::fp16 && Aspect <= aspect::ext_intel_free_memory) ||
                         Aspect >= aspect::ext_oneapi_ballot_group> {};
template <aspect Aspect> struct all_devices_have : any_device_has<Aspect> {};
template <aspect Aspect> inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect> inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

} // namespace sycl
