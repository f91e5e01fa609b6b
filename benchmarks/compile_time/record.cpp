// Records what a program passes to an OpenCL compiler: LD_PRELOAD this library and libOpenCL.so.1,
// with RECORD_KERNELS set to a folder. For each built program it writes <n>.cl, <n>.options and
// <n>.kernels, which has a line for each kernel and local size that is launched.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

struct Recorded {
  std::string place;
  std::set<std::string> launches;
};

std::mutex mutex;
std::map<cl_program, Recorded> programs;

template <class Function> Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void record_options(cl_program program, const char *options) {
  std::lock_guard lock(mutex);
  if (auto found = programs.find(program); found != programs.end())
    std::ofstream(found->second.place + ".options") << (options ? options : "");
}

void record_launch(cl_kernel kernel, cl_uint dimensions, const size_t *local) {
  cl_program program = nullptr;
  char name[1024] = "";
  clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, &program, nullptr);
  clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  std::string line = std::string(name) + " ";
  for (cl_uint d = 0; local && d != dimensions; ++d)
    line += (d ? "," : "") + std::to_string(local[d]);
  std::lock_guard lock(mutex);
  auto found = programs.find(program);
  if (found != programs.end() && found->second.launches.insert(line).second)
    std::ofstream(found->second.place + ".kernels", std::ios::app) << line << "\n";
}

} // namespace

extern "C" {

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *status) {
  static auto original = next<decltype(&clCreateProgramWithSource)>("clCreateProgramWithSource");
  cl_program program = original(context, count, strings, lengths, status);
  const char *folder = std::getenv("RECORD_KERNELS");
  if (!program || !folder)
    return program;
  std::lock_guard lock(mutex);
  static int number = 0;
  std::string place = std::string(folder) + "/" + std::to_string(number++);
  std::ofstream file(place + ".cl");
  for (cl_uint i = 0; i != count; ++i)
    file << (lengths && lengths[i] ? std::string(strings[i], lengths[i]) : std::string(strings[i]));
  programs[program] = {place, {}};
  return program;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data) {
  static auto original = next<decltype(&clBuildProgram)>("clBuildProgram");
  record_options(program, options);
  return original(program, count, devices, options, notify, data);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *events, cl_event *event) {
  static auto original = next<decltype(&clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
  record_launch(kernel, dimensions, local);
  return original(queue, kernel, dimensions, offset, global, local, count, events, event);
}
}
