// Common parts of the programs of tests/clients: the device of the platform Lockstep, and a counter
// of verdicts. The programs use third-party libraries as any application does and compare with
// results of the host.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::clients {

inline void require(long status, const char *what) {
  if (status != 0)
    throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
}

// LOCKSTEP_TEST_PLATFORM names another platform, as in tests/programs.
struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  Device() {
    const char *wanted = std::getenv("LOCKSTEP_TEST_PLATFORM");
    cl_platform_id platforms[16];
    cl_uint count = 0;
    require(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i != count && i != 16; ++i) {
      char name[256] = "";
      clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
      if (!platform && std::strstr(name, wanted ? wanted : "Lockstep"))
        platform = platforms[i];
    }
    require(platform == nullptr, "looking for the platform");
    require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    cl_int status = 0;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    require(status, "clCreateCommandQueue");
  }

  template <class T> cl_mem buffer(const std::vector<T> &contents) {
    cl_int status = 0;
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       contents.size() * sizeof(T), const_cast<T *>(contents.data()), &status);
    require(status, "clCreateBuffer");
    return memory;
  }

  template <class T> std::vector<T> read(cl_mem memory, size_t count) {
    std::vector<T> contents(count);
    require(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), contents.data(), 0,
                                nullptr, nullptr),
            "clEnqueueReadBuffer");
    return contents;
  }
};

// Prints each failure by name; the last line prints the counts.
class Verdicts {
public:
  void check(const std::string &name, const std::function<bool()> &is_right) {
    std::string why = "wrong";
    bool right = false;
    try {
      right = is_right();
    } catch (const std::exception &e) {
      why = e.what();
    }
    (right ? passed_ : failed_)++;
    if (!right)
      std::printf("FAILED %s: %s\n", name.c_str(), why.c_str());
    std::fflush(stdout);
  }
  int report() const {
    std::printf("%d passed, %d failed\n", passed_, failed_);
    return failed_ == 0 ? 0 : 1;
  }

private:
  int passed_ = 0, failed_ = 0;
};

} // namespace lockstep::clients
