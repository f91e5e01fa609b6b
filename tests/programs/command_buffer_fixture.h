// Functions and names of cl_khr_command_buffer 0.9.8, cl_khr_command_buffer_mutable_dispatch 0.9.5
// and cl_khr_command_buffer_multi_device 0.9.2. Debian's headers have older versions.
#pragma once

#include "extension_functions.h"

#include <array>
#include <memory>

namespace lockstep::test {

namespace command_buffers {

constexpr cl_device_info supported_queue_properties = 0x129A, num_sync_devices = 0x12AB,
                         sync_devices = 0x12AC;
constexpr cl_platform_info platform_capabilities = 0x0908;
constexpr cl_uint context_info = 0x1299, command_properties_info = 0x12A2;
constexpr cl_uint state_finalized = 2;
constexpr cl_bitfield flag_device_side_sync = 1 << 2;
constexpr cl_bitfield capability_device_side_enqueue = 1 << 1, capability_multiple_queue = 1 << 4;
constexpr cl_properties buffer_asserts = 0x12B7, dispatch_asserts = 0x12B8;
constexpr cl_bitfield assert_no_additional_work_groups = 1;

struct DispatchConfig {
  cl_mutable_command_khr command = nullptr;
  cl_uint num_args = 0, num_svm_args = 0, num_exec_infos = 0, work_dim = 0;
  const cl_mutable_dispatch_arg_khr *arg_list = nullptr, *arg_svm_list = nullptr;
  const cl_mutable_dispatch_exec_info_khr *exec_info_list = nullptr;
  const size_t *global_work_offset = nullptr, *global_work_size = nullptr,
               *local_work_size = nullptr;
};

// The type of a clCommand*KHR function; Parameters are between the first three and the last four.
template <class... Parameters>
using CommandFunction = cl_int(CL_API_CALL *)(cl_command_buffer_khr, cl_command_queue,
                                              const cl_properties *, Parameters..., cl_uint,
                                              const cl_sync_point_khr *, cl_sync_point_khr *,
                                              cl_mutable_command_khr *);
using Sizes = const size_t *;

struct Functions {
  template <class Function> static Function get(const char *name) {
    return function<Function>(name);
  }
  clCreateCommandBufferKHR_fn create = get<clCreateCommandBufferKHR_fn>("clCreateCommandBufferKHR");
  clFinalizeCommandBufferKHR_fn finalize =
      get<clFinalizeCommandBufferKHR_fn>("clFinalizeCommandBufferKHR");
  clRetainCommandBufferKHR_fn retain = get<clRetainCommandBufferKHR_fn>("clRetainCommandBufferKHR");
  clReleaseCommandBufferKHR_fn release =
      get<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR");
  clEnqueueCommandBufferKHR_fn enqueue =
      get<clEnqueueCommandBufferKHR_fn>("clEnqueueCommandBufferKHR");
  clGetCommandBufferInfoKHR_fn info =
      get<clGetCommandBufferInfoKHR_fn>("clGetCommandBufferInfoKHR");
  clGetMutableCommandInfoKHR_fn command_info =
      get<clGetMutableCommandInfoKHR_fn>("clGetMutableCommandInfoKHR");

  using Barrier = CommandFunction<>;
  using CopyBuffer = CommandFunction<cl_mem, cl_mem, size_t, size_t, size_t>;
  using CopyRect =
      CommandFunction<cl_mem, cl_mem, Sizes, Sizes, Sizes, size_t, size_t, size_t, size_t>;
  using CopyToImage = CommandFunction<cl_mem, cl_mem, size_t, Sizes, Sizes>;
  using CopyImage = CommandFunction<cl_mem, cl_mem, Sizes, Sizes, Sizes>;
  using CopyFromImage = CommandFunction<cl_mem, cl_mem, Sizes, Sizes, size_t>;
  using FillBuffer = CommandFunction<cl_mem, const void *, size_t, size_t, size_t>;
  using FillImage = CommandFunction<cl_mem, const void *, Sizes, Sizes>;
  using Launch = CommandFunction<cl_kernel, cl_uint, Sizes, Sizes, Sizes>;
  using SvmCopy = CommandFunction<void *, const void *, size_t>;
  using SvmFill = CommandFunction<void *, const void *, size_t, size_t>;
  Barrier barrier = get<Barrier>("clCommandBarrierWithWaitListKHR");
  CopyBuffer copy = get<CopyBuffer>("clCommandCopyBufferKHR");
  CopyRect copy_rect = get<CopyRect>("clCommandCopyBufferRectKHR");
  CopyToImage copy_to_image = get<CopyToImage>("clCommandCopyBufferToImageKHR");
  CopyImage copy_image = get<CopyImage>("clCommandCopyImageKHR");
  CopyFromImage copy_from_image = get<CopyFromImage>("clCommandCopyImageToBufferKHR");
  FillBuffer fill = get<FillBuffer>("clCommandFillBufferKHR");
  FillImage fill_image = get<FillImage>("clCommandFillImageKHR");
  Launch launch = get<Launch>("clCommandNDRangeKernelKHR");
  SvmCopy svm_copy = get<SvmCopy>("clCommandSVMMemcpyKHR");
  SvmFill svm_fill = get<SvmFill>("clCommandSVMMemFillKHR");

  using Update = cl_int(CL_API_CALL *)(cl_command_buffer_khr, cl_uint, const cl_uint *,
                                       const void **);
  using Remap = cl_command_buffer_khr(CL_API_CALL *)(cl_command_buffer_khr, cl_bool, cl_uint,
                                                     const cl_command_queue *, cl_uint,
                                                     const cl_mutable_command_khr *,
                                                     cl_mutable_command_khr *, cl_int *);
  Update update = get<Update>("clUpdateMutableCommandsKHR");
  Remap remap = get<Remap>("clRemapCommandBufferKHR");

  cl_int update_one(cl_command_buffer_khr buffer, const DispatchConfig &config) const {
    const cl_uint type = 0;
    const void *configs[] = {&config};
    return update(buffer, 1, &type, configs);
  }
};

// Looks the functions up once per process.
inline const Functions &functions() {
  static const Functions all;
  return all;
}

struct Release {
  void operator()(cl_command_buffer_khr buffer) const {
    EXPECT_EQ(functions().release(buffer), CL_SUCCESS);
  }
};
using Owned = std::unique_ptr<_cl_command_buffer_khr, Release>;

inline Owned make(const std::vector<cl_command_queue> &queues, cl_bitfield flags = 0) {
  const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
  cl_int status = 1;
  Owned buffer(functions().create(cl_uint(queues.size()), queues.data(),
                                  flags ? properties : nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
  return buffer;
}

} // namespace command_buffers

} // namespace lockstep::test
