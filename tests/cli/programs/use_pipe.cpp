// use_pipe FILE KERNEL...: runs kernels, each with one end of a pipe of words and a buffer.
// A kernel whose name ends with `_read` finds packets in the pipe.
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr cl_uint capacity = 1024;
constexpr size_t global_size = 256, local_size = 64;

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  std::stringstream source;
  source << std::ifstream(argv[1]).rdbuf();
  cl::Platform platform;
  cl::Platform::get(&platform);
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  cl::Context context(devices.at(0));
  cl::Program program(context, source.str());
  if (program.build("-cl-std=CL3.0") != CL_SUCCESS) {
    std::printf("%s\n", program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(devices.at(0)).c_str());
    return 2;
  }
  cl::CommandQueue queue(context, devices.at(0));
  for (int i = 2; i != argc; ++i) {
    const cl::Pipe pipe(context, sizeof(cl_uint), capacity);
    const cl::Buffer data(context, CL_MEM_READ_WRITE, global_size * sizeof(cl_uint));
    queue.enqueueFillBuffer(data, cl_uint(0), 0, global_size * sizeof(cl_uint));
    auto run = [&](const std::string &name) {
      cl::Kernel kernel(program, name.c_str());
      kernel.setArg(0, pipe);
      kernel.setArg(1, data);
      return queue.enqueueNDRangeKernel(kernel, cl::NullRange, global_size, local_size) ==
             CL_SUCCESS;
    };
    const std::string name = argv[i];
    if (name.ends_with("_read") && !(run("packets") && run("packets")))
      return 2;
    if (!run(name) || queue.finish() != CL_SUCCESS)
      return 2;
  }
  return 0;
}
