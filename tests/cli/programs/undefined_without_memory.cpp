// A buffer has no room for its shadow: launches that use it fail with a message, others work.
// Run with LOCKSTEP_CHECK=undefined; or also LOCKSTEP_CHECK_MEMORY=256, which is too little.
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include "../../programs/late_notifications.h"

#include <CL/opencl.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace {

constexpr char source[] = "kernel void number(global int *a) { a[get_global_id(0)] = 1; }";
constexpr size_t few = 1024, many = size_t(512) << 20; // bytes

// The context reports a command from another thread, soon after a wait for it has returned.
lockstep::test::LateNotifications said;

int failures = 0;
void expect(bool is_right, const char *what) {
  if (!is_right)
    std::printf("not so: %s\n", what);
  failures += !is_right;
}

rlim_t address_space() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * 4096;
}

} // namespace

int main() {
  cl::Platform platform;
  cl::Platform::get(&platform);
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  cl::Context context(devices.at(0), nullptr, said.receive, said.user_data());
  cl::CommandQueue queue(context, devices[0]);
  cl::Program program(context, source, true);
  cl::Kernel kernel(program, "number");
  auto run = [&](const cl::Buffer &buffer) {
    kernel.setArg(0, buffer);
    cl::Event event;
    if (const cl_int error = queue.enqueueNDRangeKernel(kernel, 0, 64, 64, nullptr, &event))
      return error;
    queue.finish();
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
  };
  expect(run(cl::Buffer(context, CL_MEM_READ_WRITE, few)) == CL_COMPLETE, "a first one runs");
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit less{address_space() + many + many / 2, before.rlim_max}; // for one, not for two
  const bool has_budget = std::getenv("LOCKSTEP_CHECK_MEMORY");
  if (!has_budget)
    setrlimit(RLIMIT_AS, &less);
  cl_int error = CL_SUCCESS;
  const cl::Buffer large(context, CL_MEM_READ_WRITE, many, nullptr, &error);
  setrlimit(RLIMIT_AS, &before);
  expect(error == CL_SUCCESS, "there is memory for the buffer");
  expect(run(large) == CL_OUT_OF_RESOURCES, "its launch fails");
  expect(said.have("no memory for what is undefined of a buffer of 512.0 MiB"),
         "the context is told why");
  expect(run(large) == CL_OUT_OF_RESOURCES, "and again");
  expect(run(cl::Buffer(context, CL_MEM_READ_WRITE, few)) == CL_COMPLETE, "others run");
  return failures != 0;
}
