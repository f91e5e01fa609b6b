// The only platform (OpenCL 3.0 API sections 4.1 and 4.2) and its root devices.
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <vector>

struct _cl_platform_id : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::platform;

  std::vector<cl_device_id> devices; // root devices, never released
};

namespace lockstep::opencl {

// Creates the platform on first use. It is never destroyed.
cl_platform_id the_platform();

// Returns true for null too: null selects this platform where the specification leaves null to the
// implementation.
inline bool is_platform(cl_platform_id platform) {
  return platform == nullptr || is_valid(platform);
}

} // namespace lockstep::opencl
