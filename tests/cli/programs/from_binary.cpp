// from_binary FILE KERNEL [clearenv|one-buffer]: check_test.py runs a kernel of kernels/races/.
// Options clear the environment once the platform is known, or pass one buffer as both arguments.
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return 2;
  const std::string_view how = argc == 4 ? argv[3] : "";
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(file), {}};
  const cl::Platform platform = cl::Platform::getDefault();
  if (how == "clearenv")
    clearenv();
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  const cl::Device device = devices.at(0);
  const cl::Context context(device);
  cl::Program program(context, {device}, {binary});
  if (program.build({device}) != CL_SUCCESS)
    return 1;
  constexpr size_t count = 256, local = 64;
  const cl::Buffer data(context, CL_MEM_READ_WRITE, count * sizeof(cl_int)),
      flags(context, CL_MEM_READ_WRITE, count * sizeof(cl_uint));
  cl::CommandQueue queue(context, device);
  queue.enqueueFillBuffer(flags, cl_uint(0), 0, count * sizeof(cl_uint));
  queue.enqueueFillBuffer(data, cl_int(0), 0, count * sizeof(cl_int));
  cl::Kernel kernel(program, argv[2]);
  kernel.setArg(0, data);
  kernel.setArg(1, how == "one-buffer" ? data : flags);
  kernel.setArg(2, cl::Local(local * sizeof(cl_int)));
  if (queue.enqueueNDRangeKernel(kernel, cl::NullRange, count, local) != CL_SUCCESS)
    return 1;
  return queue.finish() == CL_SUCCESS ? 0 : 1;
}
