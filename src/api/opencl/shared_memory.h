// Memory that programs access by address: shared virtual memory (OpenCL 3.0 API section 5.6, and
// cl_khr_unified_svm) and cl_intel_unified_shared_memory. Both use runtime/memory/allocations.h.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/memory_space.h"

#include <CL/cl.h>

#include <algorithm>
#include <memory>

namespace lockstep::opencl {

inline constexpr size_t largest_type = sizeof(cl_long16); // of OpenCL C, in bytes

// A device that works on the host's memory shares all of it, at any granularity, including atomics.
inline bool shares_memory(const runtime::Device &device) {
  return !device.memory_space();
}
inline bool shares_memory(const _cl_device_id &device) {
  return shares_memory(*device.device);
}
inline bool shares_memory(const _cl_context &context) {
  return std::ranges::any_of(
      context.devices, [](const Ref<_cl_device_id> &device) { return shares_memory(*device); });
}

// The program and kernels of such a device can use the same addresses of allocations: coarse-grained
// SVM, and cl_intel_unified_shared_memory. Any device that shares memory has more than that.
inline bool shares_allocations(const runtime::Device &device) {
  const auto &space = device.memory_space();
  return !space || space->has_unified_addresses();
}
inline bool shares_allocations(const _cl_device_id &device) {
  return shares_allocations(*device.device);
}
inline bool shares_allocations(const _cl_context &context) {
  return std::ranges::any_of(context.devices, [](const Ref<_cl_device_id> &device) {
    return shares_allocations(*device);
  });
}
// AllocationRequest::space of an allocation. `device`: the one that it is for; null: any.
inline std::shared_ptr<runtime::MemorySpace>
space_for(const _cl_context &context, const _cl_device_id *device, runtime::AllocationKind kind) {
  if (kind == runtime::AllocationKind::device)
    return device ? device->device->memory_space() : nullptr;
  for (const Ref<_cl_device_id> &each : context.devices)
    if (!shares_memory(*each) && shares_allocations(*each) && each->device->is_available())
      return each->device->memory_space();
  return nullptr;
}
// Returns true for memory that only one device can access.
inline bool is_devices_only(const runtime::Allocation &allocation) {
  return allocation.memory->only_place() != nullptr;
}

// Allocations of clSVMAllocWithPropertiesKHR, of any kind, have a note (unified_svm.h).
inline bool is_svm(const runtime::Allocation &allocation) {
  return allocation.note || allocation.kind == runtime::AllocationKind::coarse_svm ||
         allocation.kind == runtime::AllocationKind::fine_svm;
}
inline bool is_usm(const runtime::Allocation &allocation) {
  return !allocation.note && (allocation.kind == runtime::AllocationKind::device ||
                              allocation.kind == runtime::AllocationKind::host ||
                              allocation.kind == runtime::AllocationKind::shared);
}

// Returns the owner of an allocation. It keeps the context in use until the allocation is freed.
inline std::shared_ptr<const void> owner_of(cl_context context) {
  add_use(context);
  return {context, [](const _cl_context *owner) { drop_use(const_cast<cl_context>(owner)); }};
}

} // namespace lockstep::opencl
