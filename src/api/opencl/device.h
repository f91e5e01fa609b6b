// Devices (OpenCL 3.0 API sections 4.2 and 4.3): root devices and their sub-devices.
#pragma once

#include "api/opencl/object.h"
#include "runtime/device/device.h"

#include <CL/cl.h>

#include <memory>
#include <vector>

struct _cl_device_id : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::device;
  using PartitionType = std::vector<cl_device_partition_property>;

  _cl_device_id(cl_platform_id device_platform,
                std::shared_ptr<lockstep::runtime::Device> runtime_device,
                cl_device_id parent_device = nullptr, PartitionType type = {})
      : platform(device_platform), device(std::move(runtime_device)), parent(parent_device),
        partition_type(std::move(type)) {}

  bool is_root() const { return !parent; }

  const cl_platform_id platform;
  const std::shared_ptr<lockstep::runtime::Device> device;
  const lockstep::opencl::Ref<_cl_device_id> parent; // empty for a root device
  const PartitionType
      partition_type; // as given to clCreateSubDevices, with the final 0; empty for a root device
};

namespace lockstep::opencl {

constexpr bool is_device_type(cl_device_type type) {
  constexpr cl_device_type kinds = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                   CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                   CL_DEVICE_TYPE_CUSTOM;
  return type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~kinds) == 0);
}

cl_device_type type_of(const runtime::Device &device);

// Returns the root devices that a valid type selects.
std::vector<cl_device_id> devices_of_type(cl_device_type type);

} // namespace lockstep::opencl
