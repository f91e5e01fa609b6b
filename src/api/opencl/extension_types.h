// Names of extensions that Debian's headers do not have yet, as the registry of the Khronos group
// (cl.xml) has them.
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

// Of cl_khr_external_memory the headers have a version that was not final.
#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

// Of cl_intel_unified_shared_memory the headers lack one function.
using LockstepEnqueueMigrateMemINTEL = cl_int(CL_API_CALL *)(cl_command_queue queue,
                                                             const void *ptr, size_t size,
                                                             cl_mem_migration_flags flags,
                                                             cl_uint count, const cl_event *list,
                                                             cl_event *event);
