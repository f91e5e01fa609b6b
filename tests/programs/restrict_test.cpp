// `restrict` is a promise of one work-item: other work-items write to the same memory, and their
// values are visible after a barrier. The kernels compute prefix sums in steps with barriers, and
// the sums are wrong if one access moves across a barrier.
#include "opencl_fixture.h"

#include <numeric>

using namespace lockstep::test;

namespace {

constexpr size_t groups = 5;

class Restrict : public DeviceTest, public ::testing::WithParamInterface<size_t> {
protected:
  // Compares the kernel's results with each group's prefix sums of 3, 5, 7, ....
  void expect_running_sums(const char *source, bool has_local_memory) {
    const size_t local = GetParam(), global = groups * local;
    Program program = build(source);
    Kernel kernel = make_kernel(program, "sums");
    std::vector<int> numbers(global), expected(global);
    for (size_t i = 0; i != global; ++i) {
      numbers[i] = static_cast<int>(3 + 2 * i);
      expected[i] = numbers[i] + (i % local ? expected[i - 1] : 0);
    }
    Memory in = make_buffer(global * sizeof(int)), out = make_buffer(global * sizeof(int));
    write(in, numbers);
    write(out, std::vector<int>(global, -1));
    cl_mem memory[] = {in, out};
    for (cl_uint i = 0; i != 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]), CL_SUCCESS);
    if (has_local_memory)
      ASSERT_EQ(clSetKernelArg(kernel, 2, local * sizeof(int), nullptr), CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<int>(out, global), expected);
  }
};

TEST_P(Restrict, LocalMemory) {
  expect_running_sums(R"(
    kernel void sums(global const int *restrict in, global int *restrict out, local int *restrict buffer) {
      const size_t i = get_local_id(0);
      buffer[i] = in[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (uint step = 1; step < get_local_size(0); step *= 2) {
        int more = i >= step ? buffer[i - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        buffer[i] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[get_global_id(0)] = buffer[i];
    })",
                      true);
}

TEST_P(Restrict, GlobalMemoryInPlace) {
  expect_running_sums(R"(
    kernel void sums(global const int *restrict in, global int *restrict out) {
      const size_t i = get_local_id(0);
      out += get_group_id(0) * get_local_size(0);
      out[i] = in[get_global_id(0)];
      barrier(CLK_GLOBAL_MEM_FENCE);
      for (uint step = 1; step < get_local_size(0); step *= 2) {
        int more = 0;
        if (i >= step)
          more = out[i - step];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i >= step)
          out[i] += more;
        barrier(CLK_GLOBAL_MEM_FENCE);
      }
    })",
                      false);
}

TEST_P(Restrict, ParametersOfFunctions) {
  expect_running_sums(R"(
    int step_of(local int *restrict buffer, size_t i, uint step) {
      int more = i >= step ? buffer[i - step] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      buffer[i] += more;
      barrier(CLK_LOCAL_MEM_FENCE);
      return buffer[i];
    }
    void fetch(local int *restrict to, global const int *restrict from) {
      event_t done = async_work_group_copy(to, from, get_local_size(0), 0);
      wait_group_events(1, &done);
    }
    kernel void sums(global const int *restrict in, global int *restrict out, local int *restrict buffer) {
      const size_t i = get_local_id(0);
      buffer[i] = 12345;
      barrier(CLK_LOCAL_MEM_FENCE);
      fetch(buffer, in + get_group_id(0) * get_local_size(0));
      int sum = buffer[i];
      for (uint step = 1; step < get_local_size(0); step *= 2)
        sum = step_of(buffer, i, step);
      out[get_global_id(0)] = sum;
    })",
                      true);
}

INSTANTIATE_TEST_SUITE_P(LocalSizes, Restrict, ::testing::Values(1, 7, 16, 64, 138));

} // namespace
