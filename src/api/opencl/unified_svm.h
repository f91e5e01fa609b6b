// The types of SVM that cl_khr_unified_svm names by their capabilities. A device that works on the host's memory has all of
// them, and they are one kind of memory: what they differ in is what the program promises, and what others may rely on.
#pragma once

#include "api/opencl/device.h"
#include "api/opencl/extension_types.h"
#include "runtime/memory/allocations.h"

#include <optional>
#include <vector>

namespace lockstep::opencl {

struct SvmType {
  cl_svm_capabilities_khr capabilities;
  runtime::AllocationKind kind; // as which it is kept
};

// By the index that programs name them by.
const std::vector<SvmType> &svm_types();
// The answers of platform and device: an element a type, 0 where the device does not have it.
std::vector<cl_svm_capabilities_khr> svm_capabilities_of(const std::vector<SvmType> &types);
std::vector<cl_svm_capabilities_khr> svm_capabilities_of(const _cl_device_id &device);

// What clSVMAllocWithPropertiesKHR was given: the note of an allocation.
struct SvmNote {
  cl_uint type;
  std::vector<cl_svm_alloc_properties_khr> properties; // with the final 0; empty: null
  cl_svm_alloc_access_flags_khr access;
  cl_device_id device; // of the context that owns it; null: none
};
inline const SvmNote *note_of(const runtime::Allocation &allocation) {
  return static_cast<const SvmNote *>(allocation.note.get());
}

// Whether the host may map it.
bool can_be_mapped(const runtime::Allocation &allocation);

} // namespace lockstep::opencl
