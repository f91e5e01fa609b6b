// clGetProgramInfo and clGetProgramBuildInfo (OpenCL 3.0 API section 5.8.8).
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"
#include "api/opencl/program.h"

#include <cstring>

namespace lockstep::opencl {
namespace {

// Answers a query that requires an executable for at least one device.
template <class Read> void with_executable(_cl_program &program, InfoAnswer &answer, Read read) {
  if (auto kernels = program.any_executable())
    answer.put(read(*kernels));
  else
    answer.fail(
        failure(CL_INVALID_PROGRAM_EXECUTABLE, "program has not been built for any device"));
}

std::string kernel_names(const compiler::KernelModule &module) {
  std::string names;
  for (const compiler::KernelInfo &kernel : module.kernels)
    names.append(names.empty() ? "" : ";").append(kernel.name);
  return names;
}

// The program is mutable, because a query may create and cache its binary.
struct ProgramSubject {
  _cl_program *program;
  const InfoRequest *request;
};

// The value is an array of pointers to the memory for the binaries. A null pointer skips that
// device.
void copy_binaries(const ProgramSubject &subject, InfoAnswer &answer) {
  const size_t count = subject.program->devices.size();
  const size_t size = count * sizeof(unsigned char *);
  auto **places = static_cast<unsigned char **>(subject.request->value);
  if (places && subject.request->size >= size)
    for (size_t i = 0; i < count; ++i)
      if (places[i]) {
        std::string binary = subject.program->binary(i);
        std::memcpy(places[i], binary.data(), binary.size());
      }
  // The pointers are returned unchanged.
  answer.put(places && subject.request->size >= size
                 ? std::vector<unsigned char *>(places, places + count)
                 : std::vector<unsigned char *>(count));
}

std::vector<size_t> binary_sizes(_cl_program &program) {
  std::vector<size_t> sizes;
  for (size_t i = 0; i < program.devices.size(); ++i)
    sizes.push_back(program.binary(i).size());
  return sizes;
}

using Program = ProgramSubject;
constexpr InfoRow<Program> program_info[] = {
    row<Program>(CL_PROGRAM_REFERENCE_COUNT,
                 [](auto &of) -> cl_uint { return of.program->references; }),
    row<Program>(CL_PROGRAM_CONTEXT, [](auto &of) { return of.program->context.get(); }),
    row<Program>(CL_PROGRAM_NUM_DEVICES,
                 [](auto &of) { return static_cast<cl_uint>(of.program->devices.size()); }),
    row<Program>(CL_PROGRAM_DEVICES, [](auto &of) { return of.program->devices; }),
    row<Program>(CL_PROGRAM_SOURCE, [](auto &of) { return of.program->source; }),
    row<Program>(
        CL_PROGRAM_IL,
        [](auto &of) { return std::vector<char>(of.program->il.begin(), of.program->il.end()); }),
    row<Program>(CL_PROGRAM_BINARY_SIZES, [](auto &of) { return binary_sizes(*of.program); }),
    row<Program>(CL_PROGRAM_BINARIES,
                 [](auto &of, InfoAnswer &answer) { copy_binaries(of, answer); }),
    row<Program>(CL_PROGRAM_NUM_KERNELS,
                 [](auto &of, InfoAnswer &answer) {
                   with_executable(*of.program, answer,
                                   [](auto &module) { return module.kernels.size(); });
                 }),
    row<Program>(
        CL_PROGRAM_KERNEL_NAMES,
        [](auto &of, InfoAnswer &answer) { with_executable(*of.program, answer, kernel_names); }),
    row<Program>(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
                 [](auto &of, InfoAnswer &answer) {
                   with_executable(*of.program, answer, [](auto &) -> cl_bool { return CL_FALSE; });
                 }),
    row<Program>(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
                 [](auto &of, InfoAnswer &answer) {
                   with_executable(*of.program, answer, [](auto &) -> cl_bool { return CL_FALSE; });
                 }),
};

using State = DeviceProgram;
constexpr InfoRow<State> build_info[] = {
    row<State>(CL_PROGRAM_BUILD_STATUS, [](auto &state) { return state.status; }),
    row<State>(CL_PROGRAM_BUILD_OPTIONS, [](auto &state) { return state.options; }),
    row<State>(CL_PROGRAM_BUILD_LOG, [](auto &state) { return state.log; }),
    row<State>(CL_PROGRAM_BINARY_TYPE, [](auto &state) { return state.binary_type(); }),
    row<State>(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
               [](auto &state) -> size_t {
                 return state.kernels ? state.kernels->global_variable_size : 0;
               }),
};

} // namespace

cl_int clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                        void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetProgramInfo");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.8)");
  api.report_to(program->context.get());
  const InfoRequest request = {param_name, param_value_size, param_value, param_value_size_ret};
  return read_info(api, program_info, ProgramSubject{program, &request}, request, "section 5.8.8");
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device,
                             cl_program_build_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetProgramBuildInfo");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.8)");
  api.report_to(program->context.get());
  // Does not dereference a foreign device: state_for looks only at parents of the program's
  // devices.
  const auto state = program->state_for(device);
  if (!state)
    return api.fail(CL_INVALID_DEVICE, "device is not one of program's devices (section 5.8.8)");
  return read_info(api, build_info, *state,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.8.8");
}

} // namespace lockstep::opencl
