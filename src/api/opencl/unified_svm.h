// The SVM types that cl_khr_unified_svm distinguishes by capabilities. A device that works on the
// host's memory supports all of them with the same kind of memory. The types differ only in the
// promises of the program and the guarantees to it.
#pragma once

#include "api/opencl/device.h"
#include "api/opencl/extension_types.h"
#include "runtime/memory/allocations.h"

#include <optional>
#include <vector>

namespace lockstep::opencl {

struct SvmType {
  cl_svm_capabilities_khr capabilities;
  runtime::AllocationKind kind; // the kind under which it is registered
};

// Returns the types, in the order of the index by which programs select them.
const std::vector<SvmType> &svm_types();
// Returns the value of the platform and device queries: one element for each type, 0 where the
// device does not support it.
std::vector<cl_svm_capabilities_khr> svm_capabilities_of(const std::vector<SvmType> &types);
std::vector<cl_svm_capabilities_khr> svm_capabilities_of(const _cl_device_id &device);

// The arguments of clSVMAllocWithPropertiesKHR, stored as the note of an allocation.
struct SvmNote {
  cl_uint type;
  std::vector<cl_svm_alloc_properties_khr> properties; // with the final 0; empty if null
  cl_svm_alloc_access_flags_khr access;
  cl_device_id device; // the associated device, of the owning context; may be null
};
inline const SvmNote *note_of(const runtime::Allocation &allocation) {
  return static_cast<const SvmNote *>(allocation.note.get());
}

// Returns true if the host may map the allocation.
bool can_be_mapped(const runtime::Allocation &allocation);

} // namespace lockstep::opencl
