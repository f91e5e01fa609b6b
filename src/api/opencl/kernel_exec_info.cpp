// clSetKernelExecInfo (OpenCL 3.0 API section 5.9.2), with the parameters that cl_khr_unified_svm,
// cl_intel_unified_shared_memory and cl_ext_buffer_device_address add.
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/extension_types.h"
#include "api/opencl/kernel.h"
#include "api/opencl/shared_memory.h"

#include <cstring>

namespace lockstep::opencl {
namespace {

using runtime::AllocationKind;

constexpr const char *section = "section 5.9.2";

// A parameter is a list of addresses or a flag. A kernel may access the host's memory in any case.
struct Parameter {
  cl_kernel_exec_info name;
  std::vector<uint64_t> _cl_kernel::ExecInfo::*list;
  runtime::AllocationKinds reach;
};
constexpr Parameter parameters[] = {
    {CL_KERNEL_EXEC_INFO_SVM_PTRS, &_cl_kernel::ExecInfo::svm, 0},
    {CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, &_cl_kernel::ExecInfo::usm, 0},
    {CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, &_cl_kernel::ExecInfo::buffers, 0},
    {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, nullptr, 0},
    {CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, nullptr,
     runtime::AllocationKinds(runtime::all_allocations & ~set_of(AllocationKind::buffer))},
    {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, nullptr, set_of(AllocationKind::host)},
    {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, nullptr, set_of(AllocationKind::device)},
    {CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, nullptr, set_of(AllocationKind::shared)},
};

struct Given {
  size_t size;
  const void *value;
};

Check read_list(const Given &given, std::vector<uint64_t> &to) {
  if ((given.size != 0 && !given.value) || given.size % sizeof(void *) != 0)
    return failure(CL_INVALID_VALUE,
                   "param_value is {}null and param_value_size is {}, not a number of addresses "
                   "of {} bytes ({})",
                   given.value ? "not " : "", given.size, sizeof(void *), section);
  to.resize(given.size / sizeof(void *));
  if (given.size != 0)
    std::memcpy(to.data(), given.value, given.size);
  return {};
}

Check read_flag(const Given &given, bool &to) {
  if (!given.value || given.size != sizeof(cl_bool))
    return failure(CL_INVALID_VALUE,
                   "param_value is {}null and param_value_size is {}, not {} ({})",
                   given.value ? "not " : "", given.size, sizeof(cl_bool), section);
  cl_bool value = CL_FALSE;
  std::memcpy(&value, given.value, sizeof value);
  to = value != CL_FALSE;
  return {};
}

Check set(_cl_kernel &kernel, const Parameter &parameter, const Given &given) {
  const bool shares = shares_allocations(*kernel.program->context);
  std::lock_guard lock(kernel.mutex);
  if (parameter.list) {
    if (!shares)
      return failure(CL_INVALID_OPERATION,
                     "no device of the context has shared virtual memory ({})", section);
    return read_list(given, kernel.exec_info.*parameter.list);
  }
  bool is_true = false;
  if (Check broken = read_flag(given, is_true))
    return broken;
  if (is_true && !shares)
    return failure(CL_INVALID_OPERATION,
                   "no device of the context has such shared virtual memory ({})", section);
  auto &reach = kernel.exec_info.reach;
  reach = is_true ? reach | parameter.reach : reach & ~parameter.reach;
  return {};
}

} // namespace

Check set_exec_info(_cl_kernel &kernel, cl_kernel_exec_info name, size_t size, const void *value) {
  for (const Parameter &parameter : parameters)
    if (parameter.name == name)
      return set(kernel, parameter, {size, value});
  return failure(CL_INVALID_VALUE, "param_name {:#x} is not known ({})", name, section);
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                           size_t param_value_size, const void *param_value) {
  EntryPoint api("clSetKernelExecInfo");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel ({})", section);
  api.report_to(kernel->program->context.get());
  if (Check broken = set_exec_info(*kernel, param_name, param_value_size, param_value))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
