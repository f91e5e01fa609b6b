// A library for LD_PRELOAD: the kernels of programs that are built from OpenCL C run as SPIR-V. So each
// test of OpenCL C tests the reader of SPIR-V, too.
//
// clBuildProgram builds the program as usual, so that its errors and its log stay the same. Then
// LLVM's back end writes the program's kernel IR as SPIR-V, and the reader makes a second program of
// it. Kernels are created from the second program. A program that cannot be written or read fails to
// build, with a line on stderr. With THROUGH_SPIRV_FALL_BACK it is built from OpenCL C alone, after
// the same line. At the end, a line on stderr says how many programs were built so.
#define CL_TARGET_OPENCL_VERSION 300
#include "write_spirv.h"

#include "api/inspection/inspection.h"

#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

using lockstep::test::write_spirv;

std::mutex mutex;
std::map<cl_program, cl_program> second_programs; // by the program's handle; guarded by mutex

struct Count {
  unsigned programs = 0;
  ~Count() { std::fprintf(stderr, "through_spirv: %u programs\n", programs); }
} built; // guarded by mutex

void count_program(bool is_built) {
  std::lock_guard lock(mutex);
  built.programs += is_built;
}

template <class Function> Function *next(Function *, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}
#define NEXT(function) next(&(function), #function)

const lockstep::Inspection *inspection() {
  static const lockstep::Inspection *found = [] {
    void *library = dlopen("liblockstep.so", RTLD_NOW | RTLD_NOLOAD); // by the OpenCL loader
    auto get = reinterpret_cast<decltype(&lockstep_inspection)>(
        library ? dlsym(library, "lockstep_inspection") : nullptr);
    return get ? get(LOCKSTEP_VERSION) : nullptr;
  }();
  return found;
}

cl_program second_program(cl_program program) {
  std::lock_guard lock(mutex);
  auto found = second_programs.find(program);
  return found == second_programs.end() ? program : found->second;
}

cl_program first_program(cl_program program) {
  std::lock_guard lock(mutex);
  for (const auto &[first, second] : second_programs)
    if (second == program)
      return first;
  return program;
}

void set_second_program(cl_program program, cl_program second) {
  std::lock_guard lock(mutex);
  auto found = second_programs.find(program);
  if (found != second_programs.end()) {
    NEXT(clReleaseProgram)(found->second);
    second_programs.erase(found);
  }
  if (second)
    second_programs[program] = second;
}

template <class T> std::vector<T> program_info(cl_program program, cl_program_info name) {
  size_t size = 0;
  NEXT(clGetProgramInfo)(program, name, 0, nullptr, &size);
  std::vector<T> values(size / sizeof(T));
  NEXT(clGetProgramInfo)(program, name, size, values.data(), nullptr);
  return values;
}

std::string build_log(cl_program program) {
  const auto devices = program_info<cl_device_id>(program, CL_PROGRAM_DEVICES);
  std::string log(4096, '\0');
  NEXT(clGetProgramBuildInfo)(program, devices.at(0), CL_PROGRAM_BUILD_LOG, log.size(), log.data(),
                              nullptr);
  return log.c_str();
}

// The program of the same kernels through SPIR-V, not built yet; null, and `error`, if there is none.
cl_program through_spirv(cl_program program, const std::string &options, std::string &error) {
  const auto source = program_info<char>(program, CL_PROGRAM_SOURCE);
  const lockstep::Inspection *library = inspection();
  if (!library) {
    error = "liblockstep.so is not loaded";
    return nullptr;
  }
  auto module = library->build_opencl_c(source.data(), options, error);
  if (!module)
    return nullptr;
  const auto written = write_spirv(module->bitcode, "1.4");
  if (const char *folder = std::getenv("THROUGH_SPIRV_KEEP")) {
    if (FILE *file = std::fopen((std::string(folder) + "/last.spv").c_str(), "wb")) {
      std::fwrite(written.words.data(), 1, written.words.size(), file);
      std::fclose(file);
    }
  }
  if (written.words.empty()) {
    error = "not written: " + written.error;
    return nullptr;
  }
  const auto context = program_info<cl_context>(program, CL_PROGRAM_CONTEXT);
  cl_int status = CL_SUCCESS;
  cl_program second = NEXT(clCreateProgramWithIL)(context.at(0), written.words.data(),
                                                  written.words.size(), &status);
  if (!second)
    error = "clCreateProgramWithIL returns " + std::to_string(status);
  return second;
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *user_data) {
  set_second_program(program, nullptr);
  const bool from_source = program_info<char>(program, CL_PROGRAM_SOURCE).size() > 1;
  if (!from_source)
    return NEXT(clBuildProgram)(program, count, devices, options, notify, user_data);
  cl_int status = NEXT(clBuildProgram)(program, count, devices, options, nullptr, nullptr);
  if (status == CL_SUCCESS) {
    std::string error;
    cl_program second = through_spirv(program, options ? options : "", error);
    status = second ? NEXT(clBuildProgram)(second, count, devices, options, nullptr, nullptr)
                    : CL_BUILD_PROGRAM_FAILURE;
    set_second_program(program, second);
    if (second && status != CL_SUCCESS)
      error = "not read: " + build_log(second);
    if (status != CL_SUCCESS)
      std::fprintf(stderr, "through_spirv: %d: %s\n", status, error.c_str());
    count_program(status == CL_SUCCESS);
    if (status != CL_SUCCESS && std::getenv("THROUGH_SPIRV_FALL_BACK")) {
      set_second_program(program, nullptr);
      status = CL_SUCCESS;
    }
  }
  if (notify)
    notify(program, user_data);
  return status;
}

cl_int clReleaseProgram(cl_program program) {
  const auto references = program_info<cl_uint>(program, CL_PROGRAM_REFERENCE_COUNT);
  if (!references.empty() && references[0] == 1)
    set_second_program(program, nullptr);
  return NEXT(clReleaseProgram)(program);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status) {
  return NEXT(clCreateKernel)(second_program(program), name, status);
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel *kernels,
                                cl_uint *number) {
  return NEXT(clCreateKernelsInProgram)(second_program(program), count, kernels, number);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                       size_t *size_ret) {
  const cl_int status = NEXT(clGetKernelInfo)(kernel, name, size, value, size_ret);
  if (status == CL_SUCCESS && name == CL_KERNEL_PROGRAM && value)
    *static_cast<cl_program *>(value) = first_program(*static_cast<cl_program *>(value));
  return status;
}

// The specification gives information on arguments to programs from source only.
cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t size,
                          void *value, size_t *size_ret) {
  cl_program program = nullptr;
  char function[1024] = "";
  NEXT(clGetKernelInfo)(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  NEXT(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof function, function, nullptr);
  cl_int status = CL_SUCCESS;
  cl_kernel first = NEXT(clCreateKernel)(first_program(program), function, &status);
  if (status != CL_SUCCESS)
    return status;
  status = NEXT(clGetKernelArgInfo)(first, index, name, size, value, size_ret);
  NEXT(clReleaseKernel)(first);
  return status;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t size, void *value,
                        size_t *size_ret) {
  const bool of_second = name == CL_PROGRAM_BINARIES || name == CL_PROGRAM_BINARY_SIZES ||
                         name == CL_PROGRAM_KERNEL_NAMES || name == CL_PROGRAM_NUM_KERNELS;
  return NEXT(clGetProgramInfo)(of_second ? second_program(program) : program, name, size, value,
                                size_ret);
}

} // extern "C"
#pragma GCC visibility pop
