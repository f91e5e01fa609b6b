// What programs that are checked begin with: a device, and kernels for it.
#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <vector>

struct OneDevice {
  cl::Device device;
  cl::Context context;
  cl::Program program;

  explicit OneDevice(const char *source) {
    cl::Platform platform;
    cl::Platform::get(&platform);
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    device = devices.at(0);
    context = cl::Context(device);
    program = cl::Program(context, source, true);
  }
};
