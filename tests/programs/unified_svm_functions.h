// Functions and names of cl_khr_unified_svm, as in the Khronos registry.
#pragma once

#include "extension_functions.h"

namespace lockstep::test::unified_svm {

using Capabilities = cl_bitfield;
using Properties = std::vector<cl_properties>;

inline constexpr cl_platform_info platform_types = 0x0909; // CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR
inline constexpr cl_device_info device_types = 0x1077;     // CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR
inline constexpr cl_kernel_exec_info indirect_access = 0x11BB;
// CL_SVM_CAPABILITY_..._KHR
inline constexpr Capabilities single_address_space = 1 << 0, system_allocated = 1 << 1,
                              device_owned = 1 << 2, device_unassociated = 1 << 3,
                              context_access = 1 << 4, host_owned = 1 << 5, host_read = 1 << 6,
                              host_write = 1 << 7, host_map = 1 << 8, device_read = 1 << 9,
                              device_write = 1 << 10, device_atomic_access = 1 << 11,
                              concurrent_access = 1 << 12, concurrent_atomic_access = 1 << 13,
                              indirect = 1 << 14;
// CL_SVM_TYPE_MACRO_..._KHR
inline constexpr Capabilities device_access = single_address_space | device_read | device_write;
inline constexpr Capabilities coarse_grain_buffer =
    device_access | device_unassociated | context_access | host_map | device_atomic_access;
inline constexpr Capabilities fine_grain_buffer =
    coarse_grain_buffer | host_read | host_write | concurrent_access;
inline constexpr Capabilities device_memory =
    device_access | device_owned | device_atomic_access | indirect;
inline constexpr Capabilities host_memory = device_access | device_unassociated | context_access |
                                            host_owned | host_read | host_write | indirect;
inline constexpr Capabilities single_device_shared =
    device_access | host_read | host_write | indirect;
inline constexpr Capabilities system_memory =
    fine_grain_buffer | system_allocated | concurrent_atomic_access | indirect;

// CL_SVM_ALLOC_..._KHR
inline constexpr cl_properties associated_device = 0x2078, access_flags = 0x2079,
                               alignment = 0x207A;
// CL_SVM_INFO_..._KHR
inline constexpr cl_uint type_index = 0x2088, capabilities = 0x2089, properties = 0x208A,
                         access_of = 0x208B, base_pointer = 0x419B, size_of = svm_info_size,
                         device_of = 0x419D;

using Allocate = void *(CL_API_CALL *)(cl_context, const cl_properties *, cl_uint, size_t,
                                       cl_int *);
using Free = cl_int(CL_API_CALL *)(cl_context, const cl_properties *, cl_bitfield, void *);
using GetInfo = GetSvmPointerInfo;
using Suggest = cl_int(CL_API_CALL *)(cl_context, Capabilities, Capabilities, const cl_properties *,
                                      size_t, cl_uint *);

struct Functions {
  Allocate allocate = function<Allocate>("clSVMAllocWithPropertiesKHR");
  Free free = function<Free>("clSVMFreeWithPropertiesKHR");
  GetInfo info = function<GetInfo>("clGetSVMPointerInfoKHR");
  Suggest suggest = function<Suggest>("clGetSVMSuggestedTypeIndexKHR");
};

} // namespace lockstep::test::unified_svm
