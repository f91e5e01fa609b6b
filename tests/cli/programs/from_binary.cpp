// from_binary FILE KERNEL: runs a kernel of races.cl from a program binary, as check_test.py runs it from its source.
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<unsigned char> binary{std::istreambuf_iterator<char>(file), {}};
  const cl::Device device = cl::Device::getDefault();
  const cl::Context context(device);
  cl::Program program(context, {device}, {binary});
  if (program.build({device}) != CL_SUCCESS)
    return 1;
  constexpr size_t count = 256, local = 64;
  const cl::Buffer data(context, CL_MEM_READ_WRITE, count * sizeof(cl_int)),
      flags(context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  cl::CommandQueue queue(context, device);
  queue.enqueueFillBuffer(flags, cl_uint(0), 0, sizeof(cl_uint));
  cl::Kernel kernel(program, argv[2]);
  kernel.setArg(0, data);
  kernel.setArg(1, flags);
  kernel.setArg(2, cl::Local(local * sizeof(cl_int)));
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, count, local);
  return queue.finish() == CL_SUCCESS ? 0 : 1;
}
