// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Device queries of extension sycl_ext_intel_device_info. Each query has an aspect. If the device
// lacks the aspect, the query throws errc::feature_not_supported.
//
// Lockstep's devices support free memory and an identity. The other queries concern GPUs, or the
// information is not accessible to programs.
#pragma once

#include "sycl/info.hpp"

#include <array>

#define SYCL_EXT_INTEL_DEVICE_INFO 5

namespace sycl {

namespace detail {
using uuid_type = std::array<unsigned char, 16>;
}

namespace ext::intel::info::device {

#define LOCKSTEP_QUERY(query, query_number, type)                                                  \
  struct query {                                                                                   \
    using return_type = type;                                                                      \
    static constexpr int number = query_number;                                                    \
  }
LOCKSTEP_QUERY(device_id, 120, std::uint32_t);
LOCKSTEP_QUERY(pci_address, 121, std::string);
LOCKSTEP_QUERY(gpu_eu_simd_width, 122, std::uint32_t);
LOCKSTEP_QUERY(gpu_eu_count, 123, std::uint32_t);
LOCKSTEP_QUERY(gpu_slices, 124, std::uint32_t);
LOCKSTEP_QUERY(gpu_subslices_per_slice, 125, std::uint32_t);
LOCKSTEP_QUERY(gpu_eu_count_per_subslice, 126, std::uint32_t);
LOCKSTEP_QUERY(gpu_hw_threads_per_eu, 127, std::uint32_t);
LOCKSTEP_QUERY(max_mem_bandwidth, 128, std::uint64_t);
LOCKSTEP_QUERY(uuid, 129, sycl::detail::uuid_type);
LOCKSTEP_QUERY(free_memory, 130, std::uint64_t);
LOCKSTEP_QUERY(memory_clock_rate, 131, std::uint32_t);
LOCKSTEP_QUERY(memory_bus_width, 132, std::uint32_t);
#undef LOCKSTEP_QUERY

} // namespace ext::intel::info::device
} // namespace sycl
