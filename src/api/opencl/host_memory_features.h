// Features that only some devices have. Those that work on the host's memory have device-side
// queues, and host memory that is shared by address. Those on a PCI bus report their place there.
#pragma once

#include "api/opencl/extensions.h"
#include "api/opencl/shared_memory.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::opencl {

inline constexpr auto host_memory_features = std::to_array<std::string_view>({
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_device_enqueue",
    "cl_ext_buffer_device_address",
    "cl_khr_external_memory",
    "cl_khr_external_memory_dma_buf",
    "cl_khr_external_memory_opaque_fd",
    "cl_khr_unified_svm",
});

// Returns true if the device has this feature macro or extension.
inline bool has_feature(const runtime::Device &device, std::string_view name) {
  if (name == "cl_intel_unified_shared_memory")
    return shares_allocations(device);
  if (name == "cl_khr_pci_bus_info")
    return device.description().pci.has_value();
  return (has_feature(name) || !name.starts_with("__")) &&
         (shares_memory(device) ||
          std::ranges::find(host_memory_features, name) == host_memory_features.end());
}
inline bool has_feature(const _cl_device_id &device, std::string_view name) {
  return has_feature(*device.device, name);
}

// For the front end, which ignores names that have no macro.
inline std::vector<std::string_view> absent_features(const _cl_device_id &device) {
  if (shares_memory(device))
    return {};
  return {host_memory_features.begin(), host_memory_features.end()};
}

// OpenCL C 2.0 requires pipes and device-side queues.
inline bool has_opencl_c_2(const _cl_device_id &device) {
  return has_feature(device, "__opencl_c_pipes") &&
         has_feature(device, "__opencl_c_device_enqueue");
}

// The rows that the device has.
inline std::vector<compiler::NameVersion> rows_of(const runtime::Device &device,
                                                  std::span<const compiler::NameVersion> rows) {
  std::vector<compiler::NameVersion> of_device;
  std::ranges::copy_if(rows, std::back_inserter(of_device),
                       [&](const auto &row) { return has_feature(device, row.name); });
  return of_device;
}

} // namespace lockstep::opencl
