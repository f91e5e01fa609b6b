// The only platform (OpenCL 3.0 API sections 4.1 and 4.2) and its root devices.
//
// Finding cards loads their drivers, which takes time and concerns children of fork(). So only
// devices() does it, for programs that ask for devices that may be cards.
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <atomic>
#include <vector>

struct _cl_platform_id : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::platform;

  // Root devices, never released.
  cl_device_id first = nullptr;
  const std::vector<cl_device_id> &devices(); // all of them, the first one included
  // Those that exist by now. Loads no driver.
  std::vector<cl_device_id> known_devices() const;

private:
  std::atomic<const std::vector<cl_device_id> *> devices_{nullptr};
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
