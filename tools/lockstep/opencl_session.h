// Opens a device through the ordinary OpenCL loader, as a program of the user does.
//
// A tool in a build tree uses the Lockstep of that build tree. Therefore it sets OCL_ICD_VENDORS to
// the vendors folder next to the tool, unless the user has set that variable or selects another
// platform.
#pragma once

#include "support/result.h"

#include <CL/cl.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace lockstep::cli {

template <auto Release> struct Releaser {
  template <class Handle> void operator()(Handle *handle) const { Release(handle); }
};
using Context = std::unique_ptr<_cl_context, Releaser<clReleaseContext>>;
using Queue = std::unique_ptr<_cl_command_queue, Releaser<clReleaseCommandQueue>>;
using Program = std::unique_ptr<_cl_program, Releaser<clReleaseProgram>>;
using Kernel = std::unique_ptr<_cl_kernel, Releaser<clReleaseKernel>>;
using Memory = std::unique_ptr<_cl_mem, Releaser<clReleaseMemObject>>;
using Event = std::unique_ptr<_cl_event, Releaser<clReleaseEvent>>;

std::string error_name(cl_int code); // "CL_INVALID_VALUE"

// Fails with "<what>: CL_..." unless code is CL_SUCCESS. The error kind tells whether the request
// was invalid.
Result<void> expect(cl_int code, std::string_view what);

// Returns the folder `vendors` of the build tree that contains this tool; empty if it is installed.
std::string build_tree_vendors();
void prefer_build_tree(); // call before the first OpenCL call

struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};
std::vector<std::string> platform_names();
// `wanted`: the number of the device from 0, its type (`cpu`, `gpu`), or a part of its name or vendor.
// Under a check, lists NVIDIA cards if it is `nvidia` or `gpu`; so no OpenCL call may be made before.
Result<Device> find_device(const std::string &platform_name, const std::string &wanted);

struct Session {
  Device device;
  Context context;
  Queue queue;        // in order, with profiling
  Queue device_queue; // for kernels that enqueue; null if the device has none
};
Result<Session> open_session(const std::string &platform_name, const std::string &device);

std::string text_info(cl_platform_id platform, cl_platform_info name);
std::string text_info(cl_device_id device, cl_device_info name);
template <class T> T device_info(cl_device_id device, cl_device_info name) {
  T value{};
  clGetDeviceInfo(device, name, sizeof value, &value, nullptr);
  return value;
}

} // namespace lockstep::cli
