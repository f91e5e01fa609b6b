// The OpenCL calls that the cases need. A failed call ends the process with exit code 90.
#pragma once

#include "../programs/opencl_fixture.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace lockstep::test {

inline void must(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s: %d\n", what, status);
  _exit(90);
}

struct Session {
  cl_device_id device = find_device();
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  explicit Session(void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                             void *) = nullptr) {
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, notify, nullptr, &status);
    must(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    must(status, "clCreateCommandQueue");
  }
  cl_program program(const std::string &source) const {
    const char *text = source.c_str();
    cl_int status = CL_SUCCESS;
    cl_program made = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    must(status, "clCreateProgramWithSource");
    return made;
  }
  cl_kernel kernel(const std::string &source) const { // the kernel is named k
    cl_program built = program(source);
    must(clBuildProgram(built, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    cl_int status = CL_SUCCESS;
    cl_kernel made = clCreateKernel(built, "k", &status);
    must(status, "clCreateKernel");
    clReleaseProgram(built);
    return made;
  }
  cl_mem buffer(size_t bytes) const {
    cl_int status = CL_SUCCESS;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    must(status, "clCreateBuffer");
    return made;
  }
  void launch(cl_kernel kernel, cl_mem argument, size_t items, cl_event *event = nullptr) const {
    must(clSetKernelArg(kernel, 0, sizeof argument, &argument), "clSetKernelArg");
    must(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, event),
         "clEnqueueNDRangeKernel");
  }

  // Builds, launches and reads back. A wrong result ends the process with exit code 91.
  void compute(int plus) const {
    constexpr size_t items = 256;
    cl_kernel plain = kernel("kernel void k(global int *p) { p[get_global_id(0)] = "
                             "(int)get_global_id(0) + " +
                             std::to_string(plus) + "; }");
    cl_mem memory = buffer(items * sizeof(int));
    launch(plain, memory, items);
    int result[items] = {};
    must(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof result, result, 0, nullptr, nullptr),
         "clEnqueueReadBuffer");
    for (size_t i = 0; i < items; ++i)
      if (result[i] != int(i) + plus)
        _exit(91);
    must(clReleaseKernel(plain), "clReleaseKernel");
    must(clReleaseMemObject(memory), "clReleaseMemObject");
  }
};

// Returns the source of a kernel that takes long to build.
inline std::string long_source(int lines) {
  std::string source = "kernel void k(global float *p) { float x = p[0];\n";
  for (int i = 0; i < lines; ++i)
    source += "x = sin(x) * cos(x + " + std::to_string(i) + ".0f);\n";
  return source + "p[0] = x; }\n";
}

} // namespace lockstep::test
