// `if (get_global_id(0) >= n) return;` before barriers: work-items that have returned block no
// barrier, whether or not they share a sub-group with work-items that continue.
#include "opencl_fixture.h"

using namespace lockstep::test;

namespace {

class EarlyReturn : public DeviceTest, public ::testing::WithParamInterface<size_t> {
protected:
  // Runs three groups of 40, in which the first GetParam() work-items do not return early.
  std::vector<int> run(const char *source) {
    const size_t local = 40, global = 3 * local;
    Program program = build(source);
    Kernel kernel = make_kernel(program, "work");
    Memory out = make_buffer(global * sizeof(int));
    write(out, std::vector<int>(global, -1));
    cl_mem memory = out;
    const cl_int stay = cl_int(GetParam());
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof stay, &stay), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<int>(out, global);
  }
};

TEST_P(EarlyReturn, BarrierInStraightCode) {
  const std::vector<int> got = run(R"(
    kernel void work(global int *out, int n) {
      local int all[40];
      const int i = get_global_id(0), me = get_local_id(0);
      if (i >= n) return;
      all[me] = i;
      barrier(CLK_LOCAL_MEM_FENCE);
      out[i] = all[0] * 1000 + all[me / 2];
    })");
  for (int i = 0; i != 120; ++i) {
    const int first = i / 40 * 40;
    EXPECT_EQ(got[size_t(i)], i < int(GetParam()) ? first * 1000 + first + i % 40 / 2 : -1) << i;
  }
}

TEST_P(EarlyReturn, BarriersInALoop) {
  const std::vector<int> got = run(R"(
    kernel void work(global int *out, int n) {
      local int sum[64];
      const int i = get_global_id(0), me = get_local_id(0);
      if (me < 24) sum[40 + me] = 0;
      sum[me] = i < n ? i : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (i >= n) return;
      for (int step = 32; step > 0; step /= 2) {
        if (me < step) sum[me] += sum[me + step];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[i] = sum[0];
    })");
  for (int i = 0; i != 120; ++i) {
    // An element whose work-item has returned is not updated.
    std::vector<int> sum(64);
    const int first = i / 40 * 40, stay = int(GetParam());
    for (int me = 0; me != 40; ++me)
      sum[size_t(me)] = first + me < stay ? first + me : 0;
    for (int step = 32; step > 0; step /= 2)
      for (int me = 0; me < step && me < 40 && first + me < stay; ++me)
        sum[size_t(me)] += sum[size_t(me + step)];
    EXPECT_EQ(got[size_t(i)], i < stay ? sum[0] : -1) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, EarlyReturn, testing::Values(1, 40, 48, 63, 83, 119, 120));

} // namespace
