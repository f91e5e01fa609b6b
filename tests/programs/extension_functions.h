// Extension functions that a program looks up by name, and names that Debian's headers lack.
#pragma once

#include "opencl_fixture.h"

#include <CL/cl_ext.h>

namespace lockstep::test {

using SetKernelArgDevicePointer = cl_int(CL_API_CALL *)(cl_kernel, cl_uint, cl_ulong);
using EnqueueMigrateMem = cl_int(CL_API_CALL *)(cl_command_queue, const void *, size_t,
                                                cl_mem_migration_flags, cl_uint, const cl_event *,
                                                cl_event *);
using ReImportSyncFile = cl_int(CL_API_CALL *)(cl_semaphore_khr, cl_semaphore_properties_khr *,
                                               int);
using GetSvmPointerInfo = cl_int(CL_API_CALL *)(cl_context, cl_device_id, const void *, cl_uint,
                                                size_t, void *, size_t *);
inline constexpr cl_uint svm_info_size = 0x419C;             // CL_SVM_INFO_SIZE_KHR
inline constexpr cl_mem_properties private_address = 0x5000; // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
inline constexpr cl_mem_info device_address = 0x5001;        // CL_MEM_DEVICE_ADDRESS_EXT
inline constexpr cl_kernel_exec_info device_pointers =
    0x5002; // CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT

template <class Function> Function function(const char *name) {
  auto *found =
      reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(find_platform(), name));
  EXPECT_NE(found, nullptr) << name;
  return found;
}

// cl_intel_unified_shared_memory
struct UnifiedMemory {
  clHostMemAllocINTEL_fn host = function<clHostMemAllocINTEL_fn>("clHostMemAllocINTEL");
  clDeviceMemAllocINTEL_fn device = function<clDeviceMemAllocINTEL_fn>("clDeviceMemAllocINTEL");
  clSharedMemAllocINTEL_fn shared = function<clSharedMemAllocINTEL_fn>("clSharedMemAllocINTEL");
  clMemFreeINTEL_fn free = function<clMemFreeINTEL_fn>("clMemFreeINTEL");
  clMemBlockingFreeINTEL_fn blocking_free =
      function<clMemBlockingFreeINTEL_fn>("clMemBlockingFreeINTEL");
  clGetMemAllocInfoINTEL_fn info = function<clGetMemAllocInfoINTEL_fn>("clGetMemAllocInfoINTEL");
  clSetKernelArgMemPointerINTEL_fn set_argument =
      function<clSetKernelArgMemPointerINTEL_fn>("clSetKernelArgMemPointerINTEL");
  clEnqueueMemFillINTEL_fn fill = function<clEnqueueMemFillINTEL_fn>("clEnqueueMemFillINTEL");
  clEnqueueMemcpyINTEL_fn copy = function<clEnqueueMemcpyINTEL_fn>("clEnqueueMemcpyINTEL");
  EnqueueMigrateMem migrate = function<EnqueueMigrateMem>("clEnqueueMigrateMemINTEL");
  clEnqueueMemAdviseINTEL_fn advise =
      function<clEnqueueMemAdviseINTEL_fn>("clEnqueueMemAdviseINTEL");
};

} // namespace lockstep::test
