// Rows of compiler/device_features.def in the forms that queries want.
#pragma once

#include "compiler/device_features.h"

#include <CL/cl_ext.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::opencl {

// What cl_khr_external_memory can import. Images in it are rows, as everywhere here.
inline constexpr std::array<cl_external_memory_handle_type_khr, 2> external_memory_types = {
    CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

// CL_PLATFORM_VERSION and CL_DEVICE_VERSION. Programs search the text for versions of OpenCL, such as
// "1.0", so the vendor's part has no digits. CL_DRIVER_VERSION is Lockstep's own version.
inline constexpr const char *opencl_version = "OpenCL 3.0 Lockstep";
inline constexpr const char *opencl_c_version = "OpenCL C 1.2 Lockstep";

std::vector<cl_name_version> with_versions(std::span<const compiler::NameVersion> rows);
std::string joined_names(std::span<const compiler::NameVersion> rows); // separated by blanks

// Whether the device has a feature macro of OpenCL C 3.0, e.g. "__opencl_c_fp64".
constexpr bool has_feature(std::string_view macro) {
  for (const compiler::NameVersion &feature : compiler::opencl_c_features)
    if (feature.name == macro)
      return true;
  return false;
}

} // namespace lockstep::opencl
