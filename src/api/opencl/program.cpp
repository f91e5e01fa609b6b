// Programs: creation and reference counting (OpenCL 3.0 API sections 5.8.1 to 5.8.3). Programs from
// an intermediate language are in program_il.cpp, builds in program_build.cpp.
#include "api/opencl/program.h"

#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/platform.h"

#include <algorithm>
#include <cstring>
#include <span>

cl_program_binary_type DeviceProgram::binary_type() const {
  if (kernels || loaded)
    return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  if (object)
    return object->is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                              : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
  return CL_PROGRAM_BINARY_TYPE_NONE;
}

_cl_program::_cl_program(cl_context program_context, std::vector<cl_device_id> program_devices,
                         Origin program_origin, std::string program_code)
    : context(program_context), devices(std::move(program_devices)), origin(program_origin),
      source(origin == Origin::source ? std::move(program_code) : std::string()),
      il(origin == Origin::il ? std::move(program_code) : std::string()), states(devices.size()) {}

std::optional<size_t> _cl_program::find_device(cl_device_id device) const {
  auto found = std::ranges::find(devices, device);
  if (found == devices.end())
    return std::nullopt;
  return found - devices.begin();
}

DeviceProgram _cl_program::state(size_t index) const {
  std::lock_guard lock(mutex);
  return states[index];
}

std::optional<DeviceProgram> _cl_program::state_for(cl_device_id device) const {
  const auto own = find_device(device);
  if (!own)
    return std::nullopt;
  std::lock_guard lock(mutex);
  auto is_untouched = [](const DeviceProgram &state) {
    return state.status == CL_BUILD_NONE && state.binary_type() == CL_PROGRAM_BINARY_TYPE_NONE;
  };
  for (cl_device_id candidate = device; candidate; candidate = candidate->parent.get())
    if (auto index = find_device(candidate); index && !is_untouched(states[*index]))
      return states[*index];
  return states[*own];
}

std::string _cl_program::binary(size_t index) {
  std::lock_guard lock(mutex);
  DeviceProgram &state = states[index];
  if (state.binary.empty()) {
    if (state.kernels || state.loaded)
      state.binary =
          lockstep::compiler::write_binary(state.kernels ? *state.kernels : *state.loaded);
    else if (state.object)
      state.binary = lockstep::compiler::write_binary(*state.object);
  }
  return state.binary;
}

std::shared_ptr<const lockstep::compiler::KernelModule> _cl_program::any_executable() const {
  std::lock_guard lock(mutex);
  for (const DeviceProgram &state : states)
    if (state.kernels)
      return state.kernels;
  return nullptr;
}

namespace lockstep::opencl {

Check read_device_list(cl_uint num_devices, const cl_device_id *device_list,
                       const std::vector<cl_device_id> &all, const char *section,
                       std::vector<cl_device_id> &devices) {
  if (!device_list && num_devices > 0)
    return failure(CL_INVALID_VALUE, "device_list is null but num_devices is {} ({})", num_devices,
                   section);
  if (device_list && num_devices == 0)
    return failure(CL_INVALID_VALUE, "num_devices is 0 but device_list is not null ({})", section);
  if (!device_list) {
    devices = all;
    return {};
  }
  for (cl_device_id device : std::span(device_list, num_devices)) {
    if (std::ranges::find(all, device) == all.end())
      return failure(CL_INVALID_DEVICE,
                     "device_list[{}] is not a device of the program or context ({})",
                     devices.size(), section);
    devices.push_back(device);
  }
  return {};
}

std::vector<cl_device_id> devices_of(cl_context context) {
  std::vector<cl_device_id> devices;
  for (const auto &device : context->devices)
    devices.push_back(device.get());
  return devices;
}

namespace {

// Reads the device list of a function that does not allow null.
Check read_required_devices(cl_context context, cl_uint num_devices,
                            const cl_device_id *device_list, std::vector<cl_device_id> &devices) {
  if (!device_list)
    return failure(CL_INVALID_VALUE, "device_list is null (section 5.8.1)");
  return read_device_list(num_devices, device_list, devices_of(context), "section 5.8.1", devices);
}

Result<void> load_binary(std::string_view binary, DeviceProgram &state) {
  auto type = compiler::binary_type(binary);
  if (!type)
    return type.take_error();
  if (*type == compiler::BinaryType::executable) {
    auto module = compiler::read_program_binary(binary);
    if (!module)
      return module.take_error();
    state.loaded = std::make_shared<compiler::KernelModule>(std::move(*module));
  } else {
    auto module = compiler::read_object_binary(binary);
    if (!module)
      return module.take_error();
    state.object = std::make_shared<compiler::ObjectModule>(std::move(*module));
  }
  state.binary = binary;
  return {};
}

struct Binaries {
  std::span<const size_t> lengths;
  std::span<const unsigned char *const> binaries;
};

// Loads all binaries and sets all statuses before it returns the first failure.
Check load_binaries(const Binaries &given, cl_int *binary_status,
                    std::vector<DeviceProgram> &states) {
  Failure first;
  for (size_t i = 0; i < states.size(); ++i) {
    Failure broken;
    if (given.lengths[i] == 0 || !given.binaries[i]) {
      broken =
          failure(CL_INVALID_VALUE, "{}[{}] is {} (section 5.8.1)",
                  given.lengths[i] ? "binaries" : "lengths", i, given.lengths[i] ? "null" : "0");
    } else {
      auto *bytes = reinterpret_cast<const char *>(given.binaries[i]);
      if (auto loaded = load_binary({bytes, given.lengths[i]}, states[i]); !loaded)
        broken = failure(CL_INVALID_BINARY, "binaries[{}]: {} (section 5.8.1)", i,
                         loaded.error().message);
    }
    if (binary_status)
      binary_status[i] = broken.code;
    if (broken && !first)
      first = std::move(broken);
  }
  return first;
}

} // namespace

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *errcode_ret) {
  EntryPoint api("clCreateProgramWithSource", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.8.1)");
  api.report_to(context);
  if (count == 0 || !strings)
    return api.fail(CL_INVALID_VALUE, "{} (section 5.8.1)",
                    strings ? "count is 0" : "strings is null");
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    if (!strings[i])
      return api.fail(CL_INVALID_VALUE, "strings[{}] is null (section 5.8.1)", i);
    size_t length = lengths && lengths[i] ? lengths[i] : std::strlen(strings[i]);
    source.append(strings[i], length);
  }
  std::erase(source, '\0'); // "strips any nulls in the original source strings" (section 5.8.8)
  return api.success(create_object<_cl_program>(context, devices_of(context),
                                                _cl_program::Origin::source, std::move(source)));
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                     const cl_device_id *device_list, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status,
                                     cl_int *errcode_ret) {
  EntryPoint api("clCreateProgramWithBinary", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.8.1)");
  api.report_to(context);
  std::vector<cl_device_id> devices;
  if (Check broken = read_required_devices(context, num_devices, device_list, devices))
    return api.fail(broken);
  if (!lengths || !binaries)
    return api.fail(CL_INVALID_VALUE, "{} is null (section 5.8.1)",
                    lengths ? "binaries" : "lengths");
  std::vector<DeviceProgram> states(num_devices);
  if (Check broken =
          load_binaries({{lengths, num_devices}, {binaries, num_devices}}, binary_status, states))
    return api.fail(broken);
  auto *program =
      create_object<_cl_program>(context, std::move(devices), _cl_program::Origin::binary);
  program->states = std::move(states);
  return api.success(program);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                             const cl_device_id *device_list,
                                             const char *kernel_names, cl_int *errcode_ret) {
  EntryPoint api("clCreateProgramWithBuiltInKernels", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.8.1)");
  api.report_to(context);
  std::vector<cl_device_id> devices;
  if (Check broken = read_required_devices(context, num_devices, device_list, devices))
    return api.fail(broken);
  if (!kernel_names)
    return api.fail(CL_INVALID_VALUE, "kernel_names is null (section 5.8.1)");
  return api.fail(CL_INVALID_VALUE,
                  "kernel_names is '{}', but no device has built-in kernels (section 5.8.1)",
                  kernel_names);
}

cl_int clRetainProgram(cl_program program) {
  EntryPoint api("clRetainProgram");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.2)");
  retain(program);
  return api.success();
}

cl_int clReleaseProgram(cl_program program) {
  EntryPoint api("clReleaseProgram");
  if (!is_valid(program) || !release(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.2)");
  return api.success();
}

cl_int clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *)(cl_program, void *),
                                   void *) {
  EntryPoint api("clSetProgramReleaseCallback");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.2)");
  api.report_to(program->context.get());
  return api.fail(
      CL_INVALID_OPERATION,
      "no device of the context has destructors for program-scope variables (section 5.8.2)");
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform) {
  EntryPoint api("clUnloadPlatformCompiler");
  if (!is_valid(platform))
    return api.fail(CL_INVALID_PLATFORM, "platform is not a valid platform (section 5.8.7)");
  return api.success(); // a hint; between builds the compiler holds nothing that is worth freeing
}

cl_int clUnloadCompiler() {
  return CL_SUCCESS;
}

} // namespace lockstep::opencl
