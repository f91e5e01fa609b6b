// Converts the rows of front_ends/common/device_features.def to the types that queries return.
#pragma once

#include "front_ends/common/device_features.h"

#include <CL/cl_ext.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::opencl {

// Handle types that cl_khr_external_memory can import. Imported images are linear, like all images
// here.
inline constexpr std::array<cl_external_memory_handle_type_khr, 2> external_memory_types = {
    CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

// Values of CL_PLATFORM_VERSION and CL_DEVICE_VERSION. Programs search this text for OpenCL
// versions such as "1.0", so the vendor-specific part has no digits. CL_DRIVER_VERSION has
// Lockstep's own version.
inline constexpr const char *opencl_version = "OpenCL 3.1 Lockstep";

// A version above 1.2 says that the device has all optional features of that version
// (OpenCL 3.1, table of device queries).
inline constexpr const char *opencl_c_version = "OpenCL C 3.1 Lockstep";
inline constexpr const char *opencl_c_version_without_options = "OpenCL C 1.2 Lockstep";

std::vector<cl_name_version> with_versions(std::span<const compiler::NameVersion> rows);
std::string joined_names(std::span<const compiler::NameVersion> rows); // separated by spaces

// Returns true if the device has this feature macro of OpenCL C 3.0, e.g. "__opencl_c_fp64".
constexpr bool has_feature(std::string_view macro) {
  for (const compiler::NameVersion &feature : compiler::opencl_c_features)
    if (feature.name == macro)
      return true;
  return false;
}

} // namespace lockstep::opencl
