// The sum of a large array of ints in two launches.
//
// What it teaches: work-groups cannot wait for each other, but launches can. The end of a launch in
// an in-order queue is a barrier for all work-groups. The first launch leaves one partial sum per
// work-group; the second one, a single work-group, sums those. Also, a barrier in a function that
// the kernel calls works like one in the kernel.
//
// The sizes are 1, primes and similar numbers, and so is one of the local sizes.
//
// Checked against: a plain loop, in 64 bits. Integer sums are exact in any order.
#include "example.h"

#include <numeric>

namespace {

struct Launch {
  size_t groups, group_size;
};

bool sum(example::Example &e, const cl::Program &program, std::vector<cl_int> &values,
         Launch launch, double &seconds) {
  cl::Buffer input = example::buffer_of(e, values);
  cl::Buffer partials(e.context, CL_MEM_READ_WRITE, launch.groups * sizeof(cl_long));
  cl::Buffer total(e.context, CL_MEM_WRITE_ONLY, sizeof(cl_long));
  cl::Kernel first(program, "sum_ints"), second(program, "sum_longs");
  first.setArg(0, input);
  first.setArg(1, cl_uint(values.size()));
  first.setArg(2, partials);
  first.setArg(3, cl::Local(launch.group_size * sizeof(cl_long)));
  second.setArg(0, partials);
  second.setArg(1, cl_uint(launch.groups));
  second.setArg(2, total);
  second.setArg(3, cl::Local(launch.group_size * sizeof(cl_long)));
  seconds = e.seconds([&] {
    cl::NDRange local(launch.group_size);
    e.queue.enqueueNDRangeKernel(first, cl::NullRange,
                                 cl::NDRange(launch.groups * launch.group_size), local);
    e.queue.enqueueNDRangeKernel(second, cl::NullRange, local, local);
  });
  return example::read<cl_long>(e, total, 1)[0] ==
         std::accumulate(values.rbegin(), values.rend(), cl_long(0));
}

} // namespace

int main(int argc, char **argv) {
  return example::run(argc, argv, [](example::Example &e) {
    cl::Program program = e.build("sum_two_launches.cl");
    std::mt19937 random(5);
    double seconds;

    bool verified = true;
    for (size_t n : {1, 2, 63, 64, 65, 1000, 7919, 100'003})
      for (Launch launch : {Launch{1, 1}, Launch{3, 7}, Launch{37, 100}, Launch{64, 64}}) {
        std::vector<cl_int> values(n);
        for (cl_int &value : values)
          value = cl_int(random());
        verified = sum(e, program, values, launch, seconds) && verified;
      }
    e.row("sum in two launches, 32 odd sizes", verified, seconds, 100'003 * sizeof(cl_int) * 1e-9,
          "GB/s");

    std::vector<cl_int> values(e.size(50'000'017, 1'000'003));
    for (cl_int &value : values)
      value = cl_int(random());
    verified = sum(e, program, values, {1024, 64}, seconds);
    e.row("sum in two launches, " + std::to_string(values.size()) + " ints", verified, seconds,
          values.size() * sizeof(cl_int) * 1e-9, "GB/s");
  });
}
