// Inclusive prefix sums in one launch that reads each value once.
//
// What it teaches: a group may wait for the groups before it, even in a chain through all of them,
// because each group publishes its own part first. Fast GPU libraries use this algorithm. It works
// only if a waiting group does not keep the group that it waits for from running.
//
// Checked against: a plain loop.
#include "example.h"

#include <numeric>

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    if (!example::may_wait(e, "scan with look-back"))
      return;
    cl::Program program = e.build("scan_look_back.cl", "-cl-std=CL3.0");
    cl::Kernel kernel(program, "scan");
    std::mt19937 random(11);
    for (size_t n : {size_t(1), size_t(1000), size_t(65'537), e.size(size_t(1) << 26, 1'000'003)}) {
      const size_t local = 64, per_item = n > 100'000 ? 64 : 3;
      const size_t groups = (n + local * per_item - 1) / (local * per_item);
      std::vector<cl_uint> values(n), expected(n);
      for (cl_uint &value : values)
        value = cl_uint(random());
      std::partial_sum(values.begin(), values.end(), expected.begin());
      cl::Buffer input = example::buffer_of(e, values);
      cl::Buffer output(e.context, CL_MEM_WRITE_ONLY, n * sizeof(cl_uint));
      cl::Buffer state(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
      cl::Buffer own(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
      cl::Buffer up_to_here(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
      kernel.setArg(0, input);
      kernel.setArg(1, output);
      kernel.setArg(2, cl_uint(n));
      kernel.setArg(3, cl_uint(per_item));
      kernel.setArg(4, state);
      kernel.setArg(5, own);
      kernel.setArg(6, up_to_here);
      kernel.setArg(7, cl::Local(local * sizeof(cl_uint)));
      double seconds = e.seconds([&] {
        e.queue.enqueueFillBuffer(state, cl_uint(0), 0, groups * sizeof(cl_uint));
        e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * local),
                                     cl::NDRange(local));
      });
      e.row("scan with look-back, " + std::to_string(n) + " uints",
            example::read<cl_uint>(e, output, n) == expected, seconds, double(n) * 8e-9, "GB/s",
            std::to_string(groups) + " groups");
    }
  });
}
