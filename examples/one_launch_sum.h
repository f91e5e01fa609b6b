// The data and the launches that one_launch_sum.cpp and one_launch_sum_wrong.cpp share.
#pragma once

#include "example.h"

#include <numeric>

namespace one_launch_sum {

constexpr size_t group_size = 64, fan_in = 256;

struct Problem {
  example::Example &e;
  const size_t n, per_item;
  size_t leaves, groups;
  cl::Buffer values, results, counters;
  cl_long expected = 0;

  Problem(example::Example &example, size_t count, size_t ints_per_item)
      : e(example), n(count), per_item(ints_per_item) {
    const size_t block = group_size * per_item;
    leaves = (n + block - 1) / block;
    groups = leaves;
    for (size_t level = leaves; level > 1; groups += level)
      level = (level + fan_in - 1) / fan_in;
    values = cl::Buffer(e.context, CL_MEM_READ_ONLY, n * sizeof(cl_int));
    results = cl::Buffer(e.context, CL_MEM_READ_WRITE, (groups + 1) * sizeof(cl_long));
    counters = cl::Buffer(e.context, CL_MEM_READ_WRITE, groups * sizeof(cl_uint));
    auto *mapped = static_cast<cl_int *>(e.queue.enqueueMapBuffer(
        values, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, n * sizeof(cl_int)));
    uint32_t state = 5;
    for (size_t i = 0; i < n; ++i) {
      state = state * 1664525 + 1013904223;
      mapped[i] = cl_int(state);
      expected += mapped[i];
    }
    e.queue.enqueueUnmapMemObject(values, mapped);
    e.queue.finish();
  }

  void set_common(cl::Kernel &kernel) {
    kernel.setArg(0, values);
    kernel.setArg(1, cl_uint(n));
    kernel.setArg(2, cl_uint(per_item));
  }

  void enqueue_one_launch(const cl::Program &program) {
    enqueue_tree(cl::Kernel(program, "sum_in_one_launch"), 0);
  }
  // `initial` is the initial value of all counters or locks.
  void enqueue_tree(cl::Kernel kernel, cl_uint initial, cl::Event *end = nullptr) {
    set_common(kernel);
    kernel.setArg(3, cl_uint(leaves));
    kernel.setArg(4, results);
    kernel.setArg(5, counters);
    kernel.setArg(6, cl::Local(group_size * sizeof(cl_long)));
    e.queue.enqueueFillBuffer(counters, initial, 0, groups * sizeof(cl_uint));
    e.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group_size),
                                 cl::NDRange(group_size), nullptr, end);
  }
  cl_long sum_in_one_launch(const cl::Program &program) {
    enqueue_one_launch(program);
    return total();
  }

  void enqueue_two_launches(const cl::Program &program) {
    cl::Kernel first(program, "sum_blocks"), second(program, "sum_results");
    set_common(first);
    first.setArg(3, results);
    first.setArg(4, cl::Local(group_size * sizeof(cl_long)));
    second.setArg(0, results);
    second.setArg(1, cl_uint(leaves));
    second.setArg(2, cl::Local(group_size * sizeof(cl_long)));
    cl::NDRange local(group_size);
    e.queue.enqueueNDRangeKernel(first, cl::NullRange, cl::NDRange(leaves * group_size), local);
    e.queue.enqueueNDRangeKernel(second, cl::NullRange, local, local);
  }

  cl_long result(size_t at) {
    cl_long value = 0;
    e.queue.enqueueReadBuffer(results, CL_TRUE, at * sizeof value, sizeof value, &value);
    return value;
  }
  cl_long total() { return result(groups - 1); }
  cl_long total_of_two() { return result(leaves); }
};

} // namespace one_launch_sum
