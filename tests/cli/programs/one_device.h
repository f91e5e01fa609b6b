// Common setup of the programs that run under the checker: a device, and kernels for it.
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

struct OneDevice {
  cl::Device device;
  cl::Context context;
  cl::Program program;

  explicit OneDevice(const char *source, const char *options = "") {
    cl::Platform platform;
    cl::Platform::get(&platform);
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    device = devices.at(0);
    context = cl::Context(device);
    program = cl::Program(context, source);
    program.build(options);
  }
};

// Runs the case named by the command line. Exits with 2 and all names if there is none.
template <typename Program>
int run_case(const std::map<std::string, std::function<void(Program &)>> &cases, int argc,
             char **argv) {
  const auto found = cases.find(argc == 2 ? argv[1] : "");
  if (found == cases.end()) {
    for (const auto &[name, run] : cases)
      std::puts(name.c_str());
    return 2;
  }
  Program program;
  found->second(program);
  program.queue.finish();
  return 0;
}
