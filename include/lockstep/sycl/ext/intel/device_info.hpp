// What Intel's devices are asked beside SYCL 2020's queries (extension sycl_ext_intel_device_info). Each has an aspect: who
// asks a device without it is told errc::feature_not_supported. Ours have free memory and an identity; the rest is of GPUs,
// or nobody tells it to programs.
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
