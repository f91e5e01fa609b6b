// The check of a launch lacks memory: the launch fails with a message, and a later one is checked.
// LOCKSTEP_CHECK=races, one thread and one arena; or LOCKSTEP_CHECK_MEMORY=32, which is too little.
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

// No compiler can prove that no two indices are equal.
constexpr char source[] = R"(
kernel void turn(global uint *a, uint factor, uint mask) {
  uint i = get_global_id(0);
  a[i * factor & mask] = i;
}
kernel void count(global uint *a, uint factor, uint mask, global uint *sum) {
  uint i = get_global_id(0);
  a[i * factor & mask] = i;
  atomic_inc(sum);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
}
)";
constexpr cl_uint few = 256, many = 1 << 24, factor = 5;
constexpr rlim_t more_memory =
    32 << 20; // the launch of many needs four times the 64 MiB that it may use

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
  const bool has_budget = std::getenv("LOCKSTEP_CHECK_MEMORY");
  cl::Platform platform;
  cl::Platform::get(&platform);
  std::vector<cl::Device> devices;
  platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
  cl::Context context(devices.at(0), nullptr, said.receive, said.user_data());
  cl::CommandQueue queue(context, devices[0]);
  cl::Program program(context, source, true);
  std::vector<cl_uint> numbers(many);
  cl::Buffer data(context, CL_MEM_READ_WRITE, many * sizeof(cl_uint)),
      sum(context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  queue.enqueueFillBuffer(data, cl_uint(0), 0, many * sizeof(cl_uint));
  queue.enqueueFillBuffer(sum, cl_uint(0), 0, sizeof(cl_uint));
  for (const char *name : {"turn", "count"}) {
    cl::Kernel kernel(program, name);
    auto run = [&](cl_uint items) {
      kernel.setArg(0, data);
      kernel.setArg(1, factor);
      kernel.setArg(2, items - 1);
      if (kernel.getInfo<CL_KERNEL_NUM_ARGS>() == 4)
        kernel.setArg(3, sum);
      cl::Event event;
      queue.enqueueNDRangeKernel(kernel, 0, items, 64, nullptr, &event);
      queue.finish();
      return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    };
    expect(run(few) == CL_COMPLETE, "there is enough memory for few");
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    const rlimit less{address_space() + more_memory, before.rlim_max};
    if (!has_budget)
      setrlimit(RLIMIT_AS, &less);
    const cl_int status = run(many);
    setrlimit(RLIMIT_AS, &before);
    expect(status == CL_OUT_OF_RESOURCES, "the launch fails");
    expect(
        said.have(("kernel '" + std::string(name) + "': the check has no memory for more").c_str()),
        "the context is told why");
    expect(!has_budget || said.have("may have 32.0 MiB; buffers and the check have"),
           "and how much the check may have");
    expect(run(few) == CL_COMPLETE, "a later launch runs");
    queue.enqueueReadBuffer(data, CL_TRUE, 0, few * sizeof(cl_uint), numbers.data());
    bool is_right = true;
    for (cl_uint i = 0; i != few; ++i)
      is_right &= numbers[i * factor & (few - 1)] == i;
    expect(is_right, "a later launch is right");
  }
  return failures != 0;
}
