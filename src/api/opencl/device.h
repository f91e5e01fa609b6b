// Devices (OpenCL 3.0 API sections 4.2 and 4.3): root devices and their sub-devices.
#pragma once

#include "api/opencl/object.h"

#include <CL/cl.h>

#include <vector>

struct _cl_device_id : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::device;

  explicit _cl_device_id(cl_platform_id device_platform);
  ~_cl_device_id();

  bool is_root() const { return !parent; }

  const cl_platform_id platform;
  lockstep::opencl::Ref<_cl_device_id> parent; // empty for a root device
  std::vector<cl_device_partition_property>
      partition_type; // how it was made, with the final 0; empty for a root device
  uint32_t compute_units = 0;
};
