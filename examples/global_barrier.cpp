// A barrier of all work-groups of a launch.
//
// What it teaches: the end of a launch is a barrier of all groups, but not the only possible one. A
// counter can serve as a barrier if the device lets every group make progress. If there are more
// groups than threads, the device must suspend each group at the barrier. The example compares a
// launch of many steps with one launch per step.
//
// Checked against: the same steps as separate launches; the results must be equal to the last bit.
#include "example.h"

#include <algorithm>

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!example::may_wait(e, "barrier of all groups"))
      return;
    cl::Program program = e.build("global_barrier.cl", "-cl-std=CL3.0");
    const size_t local = 64, n = e.size(262'144, 16'384);
    const cl_uint steps = cl_uint(e.size(100, 20)) / 2 * 2;
    std::vector<float> cells(n);
    std::mt19937 random(3);
    for (float &cell : cells)
      cell = float(random() % 1000);
    cl::Buffer a = example::buffer_of(e, cells, CL_MEM_READ_WRITE);
    cl::Buffer b = example::buffer_of(e, cells, CL_MEM_READ_WRITE);
    cl::Buffer arrived(e.context, CL_MEM_READ_WRITE, 2 * sizeof(cl_uint));
    auto restart = [&] {
      e.queue.enqueueWriteBuffer(a, CL_FALSE, 0, n * sizeof(float), cells.data());
      e.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, 2 * sizeof(cl_uint));
    };

    cl::Kernel step(program, "heat_step");
    double seconds = e.seconds([&] {
      restart();
      for (cl_uint i = 0; i < steps; ++i) {
        step.setArg(0, i % 2 ? b : a);
        step.setArg(1, i % 2 ? a : b);
        e.queue.enqueueNDRangeKernel(step, cl::NullRange, cl::NDRange(n), cl::NDRange(local));
      }
    });
    std::vector<float> expected = example::read<float>(e, a, n);
    e.row("heat, a launch for each step", true, seconds, steps * 1e-3, "thousand steps/s");

    cl::Kernel kernel(program, "heat_in_one_launch");
    kernel.setArg(0, a);
    kernel.setArg(1, b);
    kernel.setArg(2, steps);
    kernel.setArg(3, arrived);
    seconds = e.seconds([&] {
      restart();
      e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n), cl::NDRange(local));
    });
    e.row("heat, one launch with a barrier of all groups",
          example::read<float>(e, a, n) == expected, seconds, steps * 1e-3, "thousand steps/s",
          std::to_string(n / local) + " groups");

    const size_t groups = e.size(size_t(1) << 20, 10'000);
    cl::Buffer met(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
    cl::Kernel meet(program, "meet");
    meet.setArg(0, arrived);
    meet.setArg(1, met);
    seconds = e.seconds([&] {
      e.queue.enqueueFillBuffer(arrived, cl_uint(0), 0, 2 * sizeof(cl_uint));
      e.queue.enqueueNDRangeKernel(meet, cl::NullRange, cl::NDRange(groups), cl::NDRange(1));
    });
    std::vector<cl_uint> all = example::read<cl_uint>(e, met, groups);
    e.row("barrier of " + std::to_string(groups) + " groups",
          std::count(all.begin(), all.end(), 1u) == std::ptrdiff_t(groups), seconds, groups * 1e-6,
          "million groups/s");
  });
}
