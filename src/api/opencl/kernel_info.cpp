// Kernel queries (OpenCL 3.0 API section 5.9.4 and cl_khr_suggested_local_work_size).
#include "api/opencl/device.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"
#include "api/opencl/kernel.h"
#include "api/opencl/memory.h"
#include "api/opencl/queue.h"
#include "driver/compile.h"
#include "kernel_ir/limits.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace lockstep::opencl {
namespace {

using compiler::KernelArg;

// ---- clGetKernelInfo

constexpr InfoRow<_cl_kernel> kernel_info[] = {
    row<_cl_kernel>(CL_KERNEL_FUNCTION_NAME, [](auto &kernel) { return kernel.info.name; }),
    row<_cl_kernel>(CL_KERNEL_NUM_ARGS,
                    [](auto &kernel) { return static_cast<cl_uint>(kernel.info.args.size()); }),
    row<_cl_kernel>(CL_KERNEL_REFERENCE_COUNT,
                    [](auto &kernel) -> cl_uint { return kernel.references; }),
    row<_cl_kernel>(CL_KERNEL_CONTEXT, [](auto &kernel) { return kernel.program->context.get(); }),
    row<_cl_kernel>(CL_KERNEL_PROGRAM, [](auto &kernel) { return kernel.program.get(); }),
    // Empty for kernels of programs that were created from binaries or IL.
    row<_cl_kernel>(CL_KERNEL_ATTRIBUTES,
                    [](auto &kernel) {
                      using Origin = _cl_program::Origin;
                      const Origin origin = kernel.program->origin;
                      return origin == Origin::binary || origin == Origin::il
                                 ? std::string()
                                 : kernel.info.attributes;
                    }),
};

// ---- clGetKernelWorkGroupInfo

struct KernelOnDevice {
  const _cl_kernel &kernel;
  const _cl_device_id &device;
};

size_t work_group_size(const KernelOnDevice &subject) {
  const compiler::KernelInfo &info = subject.kernel.info;
  if (info.reqd_work_group_size[0])
    return size_t{info.reqd_work_group_size[0]} * info.reqd_work_group_size[1] *
           info.reqd_work_group_size[2];
  const auto &code = subject.kernel.code(const_cast<cl_device_id>(&subject.device));
  return code ? code->largest_group(*subject.device.device)
              : subject.device.device->limits().max_work_group_size;
}

size_t preferred_multiple(const KernelOnDevice &subject) {
  const auto &code = subject.kernel.code(const_cast<cl_device_id>(&subject.device));
  return code ? code->preferred_multiple()
              : compiler::preferred_work_group_size_multiple(subject.kernel.info,
                                                             subject.device.device->code_options());
}

cl_ulong local_memory_size(const KernelOnDevice &subject) {
  std::lock_guard lock(subject.kernel.mutex);
  cl_ulong size = subject.kernel.info.local_memory_size;
  for (const _cl_kernel::Argument &argument : subject.kernel.arguments)
    size += argument.local_size;
  return size;
}

constexpr InfoRow<KernelOnDevice> work_group_info[] = {
    row<KernelOnDevice>(
        CL_KERNEL_GLOBAL_WORK_SIZE,
        [](auto &, InfoAnswer &answer) {
          answer.fail(
              failure(CL_INVALID_VALUE,
                      "CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels"));
        }),
    row<KernelOnDevice>(CL_KERNEL_WORK_GROUP_SIZE,
                        [](auto &subject) { return work_group_size(subject); }),
    row<KernelOnDevice>(CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                        [](auto &subject) {
                          const auto &size = subject.kernel.info.reqd_work_group_size;
                          return std::array<size_t, 3>{size[0], size[1], size[2]};
                        }),
    row<KernelOnDevice>(CL_KERNEL_LOCAL_MEM_SIZE,
                        [](auto &subject) { return local_memory_size(subject); }),
    row<KernelOnDevice>(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                        [](auto &subject) { return preferred_multiple(subject); }),
    // Never 0: 0 would mean that nothing is spilled, which is unknown before code generation.
    row<KernelOnDevice>(CL_KERNEL_SPILL_MEM_SIZE_INTEL,
                        [](auto &subject) {
                          return std::max<cl_ulong>(1, subject.kernel.info.private_memory_size);
                        }),
    row<KernelOnDevice>(
        CL_KERNEL_PRIVATE_MEM_SIZE,
        [](auto &subject) -> cl_ulong { return subject.kernel.info.private_memory_size; }),
};

// Returns the device of a query; null selects the only device. Returns null if the argument is
// invalid.
cl_device_id find_device(const _cl_kernel &kernel, cl_device_id device) {
  const auto &devices = kernel.program->devices;
  if (!device)
    return devices.size() == 1 ? devices.front() : nullptr;
  return kernel.program->find_device(device) ? device : nullptr;
}

// ---- clGetKernelSubGroupInfo

struct SubGroupQuery {
  KernelOnDevice subject;
  const void *input;
  size_t input_size, output_size;
};

// Returns the sub-group size of a launch with this local size. Compiles the kernel as the launch
// would, since only compilation determines the size. Returns nothing if it reported a failure to
// `answer`.
std::optional<size_t> sub_group_size(const KernelOnDevice &subject,
                                     const std::array<uint32_t, 3> &local_size,
                                     InfoAnswer &answer) {
  const auto &code = subject.kernel.code(const_cast<cl_device_id>(&subject.device));
  if (!code) {
    answer.fail(failure(CL_INVALID_KERNEL, "the program has no executable for device"));
    return std::nullopt;
  }
  auto size = code->sub_group_size(local_size);
  if (!size) {
    answer.fail(failure(CL_OUT_OF_RESOURCES, "{}", size.error().message));
    return std::nullopt;
  }
  return *size;
}

// Reads the input of a query about an ND-range. Returns nothing if it reported a failure to
// `answer`.
std::optional<std::array<uint32_t, 3>> local_size_of(const SubGroupQuery &query,
                                                     InfoAnswer &answer) {
  const size_t dimensions = query.input_size / sizeof(size_t);
  if (!query.input || query.input_size % sizeof(size_t) || dimensions < 1 || dimensions > 3) {
    answer.fail(failure(CL_INVALID_VALUE, "input_value is {}",
                        query.input ? "not one to three size_t" : "null"));
    return std::nullopt;
  }
  std::array<size_t, 3> given{1, 1, 1};
  std::memcpy(given.data(), query.input, query.input_size);
  size_t items = 1;
  for (size_t size : given) {
    if (size == 0 || size > compiler::max_work_group_size ||
        (items *= size) > compiler::max_work_group_size) {
      answer.fail(
          failure(CL_INVALID_VALUE, "input_value is not a local size that the device allows"));
      return std::nullopt;
    }
  }
  return std::array<uint32_t, 3>{uint32_t(given[0]), uint32_t(given[1]), uint32_t(given[2])};
}

void max_size_for_range(const SubGroupQuery &query, InfoAnswer &answer) {
  if (auto local = local_size_of(query, answer))
    if (auto size = sub_group_size(query.subject, *local, answer))
      answer.put(*size);
}

// The number of sub-groups of a work-group of this size.
std::optional<size_t> count_of(const KernelOnDevice &subject,
                               const std::array<uint32_t, 3> &local_size, InfoAnswer &answer) {
  const size_t items = size_t{local_size[0]} * local_size[1] * local_size[2];
  const auto size = sub_group_size(subject, local_size, answer);
  return size ? std::optional((items + *size - 1) / *size) : std::nullopt;
}

void count_for_range(const SubGroupQuery &query, InfoAnswer &answer) {
  if (auto local = local_size_of(query, answer))
    if (auto count = count_of(query.subject, *local, answer))
      answer.put(*count);
}

// A one-dimensional local size of `count` whole sub-groups; zeros: there is none. The first attempt
// takes the sub-group size of the largest work-group, the second one that of the first attempt.
std::optional<std::array<uint32_t, 3>> find_local_size(const KernelOnDevice &subject, size_t count,
                                                       InfoAnswer &answer) {
  const size_t largest = work_group_size(subject);
  auto size = sub_group_size(subject, {uint32_t(largest), 1, 1}, answer);
  for (int attempt = 0; attempt != 2 && size && count != 0 && count <= largest / *size; ++attempt) {
    const std::array<uint32_t, 3> local = {uint32_t(count * *size), 1, 1};
    const auto known = sub_group_size(subject, local, answer);
    if (known == size)
      return local;
    size = known;
  }
  return size ? std::optional(std::array<uint32_t, 3>{}) : std::nullopt;
}

// A kernel with a required local size has no other one.
void local_size_for_count(const SubGroupQuery &query, InfoAnswer &answer) {
  if (!query.input || query.input_size != sizeof(size_t))
    return answer.fail(failure(CL_INVALID_VALUE, "input_value is not one size_t"));
  size_t count;
  std::memcpy(&count, query.input, sizeof count);
  const size_t dimensions = std::clamp<size_t>(query.output_size / sizeof(size_t), 1, 3);
  std::array<uint32_t, 3> local = query.subject.kernel.info.reqd_work_group_size;
  if (local[0]) {
    const auto own = count_of(query.subject, local, answer);
    if (!own)
      return;
    if (*own != count || std::any_of(local.begin() + std::ptrdiff_t(dimensions), local.end(),
                                     [](uint32_t size) { return size != 1; }))
      local = {};
  } else if (const auto found = find_local_size(query.subject, count, answer)) {
    local = *found;
  } else {
    return;
  }
  answer.put(std::vector<size_t>(local.begin(), local.begin() + std::ptrdiff_t(dimensions)));
}

void max_number(const SubGroupQuery &query, InfoAnswer &answer) {
  const size_t largest = work_group_size(query.subject);
  const auto &required = query.subject.kernel.info.reqd_work_group_size;
  std::array<uint32_t, 3> local = required;
  if (!required[0])
    local = {uint32_t(largest), 1, 1};
  if (auto size = sub_group_size(query.subject, local, answer))
    answer.put((largest + *size - 1) / *size);
}

constexpr InfoRow<SubGroupQuery> sub_group_info[] = {
    row<SubGroupQuery>(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                       [](auto &query, InfoAnswer &answer) { max_size_for_range(query, answer); }),
    row<SubGroupQuery>(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                       [](auto &query, InfoAnswer &answer) { count_for_range(query, answer); }),
    row<SubGroupQuery>(
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
        [](auto &query, InfoAnswer &answer) { local_size_for_count(query, answer); }),
    row<SubGroupQuery>(CL_KERNEL_MAX_NUM_SUB_GROUPS,
                       [](auto &query, InfoAnswer &answer) { max_number(query, answer); }),
    // Only SPIR-V can require a number of sub-groups.
    row<SubGroupQuery>(
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
        [](auto &query) -> size_t { return query.subject.kernel.info.reqd_sub_group_count; }),
    row<SubGroupQuery>(
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL,
        [](auto &query) -> size_t { return query.subject.kernel.info.reqd_sub_group_size; }),
};

// ---- clGetKernelArgInfo

template <class Value> struct Word {
  std::string_view word;
  Value value;
};
constexpr Word<cl_kernel_arg_address_qualifier> address_words[] = {
    {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
    {"local", CL_KERNEL_ARG_ADDRESS_LOCAL},
    {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
    {"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
};
constexpr Word<cl_kernel_arg_access_qualifier> access_words[] = {
    {"read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY},
    {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
    {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE},
    {"none", CL_KERNEL_ARG_ACCESS_NONE},
};
constexpr Word<cl_kernel_arg_type_qualifier> type_words[] = {
    {"const", CL_KERNEL_ARG_TYPE_CONST},
    {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
    {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
    {"pipe", CL_KERNEL_ARG_TYPE_PIPE},
};

template <class Value, size_t count>
Value value_of(const Word<Value> (&words)[count], std::string_view word, Value otherwise) {
  for (const Word<Value> &candidate : words)
    if (candidate.word == word)
      return candidate.value;
  return otherwise;
}

cl_kernel_arg_type_qualifier type_qualifiers(const KernelArg &arg) {
  cl_kernel_arg_type_qualifier bits = CL_KERNEL_ARG_TYPE_NONE;
  for (const std::string &word : arg.type_qualifiers)
    bits |= value_of<cl_kernel_arg_type_qualifier>(type_words, word, CL_KERNEL_ARG_TYPE_NONE);
  return bits;
}

constexpr InfoRow<KernelArg> argument_info[] = {
    row<KernelArg>(CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                   [](auto &arg) {
                     return value_of<cl_kernel_arg_address_qualifier>(
                         address_words, arg.address_space, CL_KERNEL_ARG_ADDRESS_PRIVATE);
                   }),
    row<KernelArg>(CL_KERNEL_ARG_ACCESS_QUALIFIER,
                   [](auto &arg) {
                     return value_of<cl_kernel_arg_access_qualifier>(access_words, arg.access,
                                                                     CL_KERNEL_ARG_ACCESS_NONE);
                   }),
    row<KernelArg>(CL_KERNEL_ARG_TYPE_NAME, [](auto &arg) { return arg.type_name; }),
    row<KernelArg>(CL_KERNEL_ARG_TYPE_QUALIFIER, [](auto &arg) { return type_qualifiers(arg); }),
    row<KernelArg>(CL_KERNEL_ARG_NAME, [](auto &arg) { return arg.name; }),
};

// ---- clGetKernelSuggestedLocalWorkSizeKHR

struct GlobalRange {
  cl_uint dimensions;
  const size_t *offset;
  const size_t *size;
};

Check check_range(const GlobalRange &range) {
  if (range.dimensions < 1 || range.dimensions > 3)
    return failure(CL_INVALID_WORK_DIMENSION, "work_dim is {}, not 1 to 3 (section 5.9.4)",
                   range.dimensions);
  if (!range.size)
    return failure(CL_INVALID_GLOBAL_WORK_SIZE, "global_work_size is null (section 5.9.4)");
  for (cl_uint i = 0; i < range.dimensions; ++i) {
    if (range.size[i] == 0)
      return failure(CL_INVALID_GLOBAL_WORK_SIZE, "global_work_size[{}] is 0 (section 5.9.4)", i);
    if (range.offset && range.offset[i] > std::numeric_limits<size_t>::max() - range.size[i])
      return failure(CL_INVALID_GLOBAL_OFFSET,
                     "global_work_offset[{}] + global_work_size[{}] exceeds size_t (section 5.9.4)",
                     i, i);
  }
  return {};
}

// Chooses the local size that a launch chooses if the enqueue gives none.
std::array<uint64_t, 3> suggested_local_size(runtime::Kernel &code, const _cl_device_id &device,
                                             const GlobalRange &range) {
  runtime::LaunchGeometry geometry;
  geometry.work_dim = range.dimensions;
  for (cl_uint i = 0; i < range.dimensions; ++i) {
    geometry.global_size[i] = range.size[i];
    geometry.global_offset[i] = range.offset ? range.offset[i] : 0;
  }
  return code.choose_local_size(*device.device, geometry);
}

} // namespace

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                       void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetKernelInfo");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.4)");
  api.report_to(kernel->program->context.get());
  return read_info(api, kernel_info, *kernel,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.9.4");
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetKernelWorkGroupInfo");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.4)");
  api.report_to(kernel->program->context.get());
  cl_device_id subject = find_device(*kernel, device);
  if (!subject)
    return api.fail(CL_INVALID_DEVICE, "device is {} (section 5.9.4)",
                    device ? "not one of kernel's devices"
                           : "null, but kernel has several devices");
  return read_info(api, work_group_info, KernelOnDevice{*kernel, *subject},
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.9.4");
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info name,
                               size_t input_size, const void *input, size_t size, void *value,
                               size_t *size_ret) {
  EntryPoint api("clGetKernelSubGroupInfo");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.4)");
  api.report_to(kernel->program->context.get());
  cl_device_id subject = find_device(*kernel, device);
  if (!subject)
    return api.fail(CL_INVALID_DEVICE, "device is {} (section 5.9.4)",
                    device ? "not one of kernel's devices"
                           : "null, but kernel has several devices");
  return read_info(api, sub_group_info,
                   SubGroupQuery{{*kernel, *subject}, input, input_size, value ? size : 0},
                   {name, size, value, size_ret}, "section 5.9.4");
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                  cl_kernel_sub_group_info name, size_t input_size,
                                  const void *input, size_t size, void *value, size_t *size_ret) {
  return opencl::clGetKernelSubGroupInfo(kernel, device, name, input_size, input, size, value,
                                         size_ret);
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name,
                          size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret) {
  EntryPoint api("clGetKernelArgInfo");
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.4)");
  api.report_to(kernel->program->context.get());
  if (arg_index >= kernel->info.args.size())
    return api.fail(CL_INVALID_ARG_INDEX,
                    "arg_index is {}, but kernel {} has {} arguments (section 5.9.4)", arg_index,
                    kernel->info.name, kernel->info.args.size());
  if (!kernel->info.has_arg_info)
    return api.fail(CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
                    "program was not built from source with -cl-kernel-arg-info (section 5.9.4)");
  return read_info(api, argument_info, kernel->info.args[arg_index],
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.9.4");
}

namespace {

cl_int suggest_local_size(EntryPoint &api, cl_command_queue command_queue, cl_kernel kernel,
                          const GlobalRange &range, size_t *suggested_local_work_size) {
  if (Check broken = check_queue(api, command_queue, "section 5.9.4"))
    return api.fail(broken);
  if (!is_valid(kernel))
    return api.fail(CL_INVALID_KERNEL, "kernel is not a valid kernel (section 5.9.4)");
  if (kernel->program->context.get() != command_queue->context.get())
    return api.fail(CL_INVALID_CONTEXT,
                    "kernel is of another context than command_queue (section 5.9.4)");
  const auto &code = kernel->code(command_queue->device.get());
  if (!code)
    return api.fail(
        CL_INVALID_PROGRAM_EXECUTABLE,
        "kernel's program has no executable for the device of command_queue (section 5.9.4)");
  if (Check broken = check_range(range))
    return api.fail(broken);
  if (!suggested_local_work_size)
    return api.fail(CL_INVALID_VALUE, "suggested_local_work_size is null (section 5.9.4)");
  KernelArguments arguments;
  if (Check broken = kernel->snapshot(command_queue->place(), "section 5.9.4", arguments))
    return api.fail(broken);
  const auto local_size = suggested_local_size(*code, *command_queue->device, range);
  std::copy_n(local_size.begin(), range.dimensions, suggested_local_work_size);
  return api.success();
}

} // namespace

cl_int clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue, cl_kernel kernel,
                                         cl_uint work_dim, const size_t *global_work_offset,
                                         const size_t *global_work_size,
                                         size_t *suggested_local_work_size) {
  EntryPoint api("clGetKernelSuggestedLocalWorkSize");
  return suggest_local_size(api, command_queue, kernel,
                            {work_dim, global_work_offset, global_work_size},
                            suggested_local_work_size);
}

cl_int clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue command_queue, cl_kernel kernel,
                                            cl_uint work_dim, const size_t *global_work_offset,
                                            const size_t *global_work_size,
                                            size_t *suggested_local_work_size) {
  EntryPoint api("clGetKernelSuggestedLocalWorkSizeKHR");
  return suggest_local_size(api, command_queue, kernel,
                            {work_dim, global_work_offset, global_work_size},
                            suggested_local_work_size);
}

} // namespace lockstep::opencl
