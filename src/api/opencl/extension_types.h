// Names of extensions that Debian's headers lack. The definitions follow the Khronos registry
// (cl.xml).
#pragma once

#include "api/opencl/command_buffer_types.h"

#include <CL/cl_ext.h>

#ifndef cl_ext_buffer_device_address
#define cl_ext_buffer_device_address 1
using cl_mem_device_address_ext = cl_ulong;
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
using clSetKernelArgDevicePointerEXT_fn = cl_int(CL_API_CALL *)(cl_kernel kernel, cl_uint arg_index,
                                                                cl_mem_device_address_ext value);
#endif

// cl_khr_icd 2.0
#ifndef CL_ICD2_TAG_KHR
#define CL_ICD2_TAG_KHR (static_cast<intptr_t>(0x4F50454E434C3331))
using clIcdGetFunctionAddressForPlatformKHR_fn = void *(CL_API_CALL *)(cl_platform_id platform,
                                                                       const char *name);
using clIcdSetPlatformDispatchDataKHR_fn = cl_int(CL_API_CALL *)(cl_platform_id platform,
                                                                 void *dispatch_data);
#endif

#ifndef cl_khr_spirv_queries
#define cl_khr_spirv_queries 1
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif

#ifndef cl_ext_float_atomics
#define cl_ext_float_atomics 1
using cl_device_fp_atomic_capabilities_ext = cl_bitfield;
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

// The headers have a version of cl_khr_external_memory that was not final.
#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

#ifndef cl_khr_unified_svm
#define cl_khr_unified_svm 1
using cl_svm_capabilities_khr = cl_bitfield;
using cl_svm_alloc_properties_khr = cl_properties;
using cl_svm_alloc_access_flags_khr = cl_bitfield;
using cl_svm_free_properties_khr = cl_properties;
using cl_svm_free_flags_khr = cl_bitfield;
using cl_svm_pointer_info_khr = cl_uint;
#define CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR 0x0909
#define CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR 0x1077
#define CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR (1 << 0)
#define CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR (1 << 1)
#define CL_SVM_CAPABILITY_DEVICE_OWNED_KHR (1 << 2)
#define CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR (1 << 3)
#define CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR (1 << 4)
#define CL_SVM_CAPABILITY_HOST_OWNED_KHR (1 << 5)
#define CL_SVM_CAPABILITY_HOST_READ_KHR (1 << 6)
#define CL_SVM_CAPABILITY_HOST_WRITE_KHR (1 << 7)
#define CL_SVM_CAPABILITY_HOST_MAP_KHR (1 << 8)
#define CL_SVM_CAPABILITY_DEVICE_READ_KHR (1 << 9)
#define CL_SVM_CAPABILITY_DEVICE_WRITE_KHR (1 << 10)
#define CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR (1 << 11)
#define CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR (1 << 12)
#define CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR (1 << 13)
#define CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR (1 << 14)
#define CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR 0x2078
#define CL_SVM_ALLOC_ACCESS_FLAGS_KHR 0x2079
#define CL_SVM_ALLOC_ALIGNMENT_KHR 0x207A
#define CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR (1 << 0)
#define CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR (1 << 1)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR (1 << 8)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR (1 << 9)
#define CL_SVM_INFO_TYPE_INDEX_KHR 0x2088
#define CL_SVM_INFO_CAPABILITIES_KHR 0x2089
#define CL_SVM_INFO_PROPERTIES_KHR 0x208A
#define CL_SVM_INFO_ACCESS_FLAGS_KHR 0x208B
#define CL_SVM_INFO_BASE_PTR_KHR 0x419B
#define CL_SVM_INFO_SIZE_KHR 0x419C
#define CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR 0x419D
#define CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR 0x11BB
using clSVMAllocWithPropertiesKHR_fn =
    void *(CL_API_CALL *)(cl_context context, const cl_svm_alloc_properties_khr *properties,
                          cl_uint svm_type_index, size_t size, cl_int *errcode_ret);
using clSVMFreeWithPropertiesKHR_fn =
    cl_int(CL_API_CALL *)(cl_context context, const cl_svm_free_properties_khr *properties,
                          cl_svm_free_flags_khr flags, void *ptr);
using clGetSVMPointerInfoKHR_fn = cl_int(CL_API_CALL *)(cl_context context, cl_device_id device,
                                                        const void *ptr,
                                                        cl_svm_pointer_info_khr param_name,
                                                        size_t param_value_size, void *param_value,
                                                        size_t *param_value_size_ret);
using clGetSVMSuggestedTypeIndexKHR_fn = cl_int(CL_API_CALL *)(
    cl_context context, cl_svm_capabilities_khr required_capabilities,
    cl_svm_capabilities_khr desired_capabilities, const cl_svm_alloc_properties_khr *properties,
    size_t size, cl_uint *suggested_svm_type_index);
#endif

// The headers have a version of cl_khr_external_semaphore that was not final.
using LockstepReImportSemaphoreSyncFdKHR = cl_int(CL_API_CALL *)(
    cl_semaphore_khr semaphore, cl_semaphore_properties_khr *properties, int file);

// The headers lack one function of cl_intel_unified_shared_memory.
using LockstepEnqueueMigrateMemINTEL = cl_int(CL_API_CALL *)(cl_command_queue queue,
                                                             const void *ptr, size_t size,
                                                             cl_mem_migration_flags flags,
                                                             cl_uint count, const cl_event *list,
                                                             cl_event *event);
