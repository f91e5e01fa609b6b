// `if (get_global_id(0) >= n) return;` before barriers: work-items that have returned block no
// barrier, whether or not they share a sub-group with work-items that continue.
#include "opencl_fixture.h"

#include <algorithm>
#include <array>
#include <string>

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

// Groups of 64 x 1, of which several may run at once: whole groups leave by y, and work-items by x.
class EarlyReturnOfRows : public DeviceTest,
                          public ::testing::WithParamInterface<std::array<int, 2>> {
protected:
  void expect_sums(const std::string &guard, const std::string &end) {
    const size_t global[] = {192, 32}, local[] = {64, 1};
    const auto [width, height] = GetParam();
    Program program =
        build(("kernel void work(global int *out, int width, int height) {"
               "  local int piece[64];"
               "  const int x = get_global_id(0), y = get_global_id(1), me = get_local_id(0);" +
               guard + R"(
      int sum = 0;
      const int items = min(64, width - (x - me));
      for (int step = 0; step < 3; ++step) {
        piece[me] = x * (step + y);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < items; ++k)
          sum += piece[k];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      out[y * 192 + x] = sum;)" +
               end + "}")
                  .c_str());
    Kernel kernel = make_kernel(program, "work");
    Memory out = make_buffer(192 * 32 * sizeof(int));
    write(out, std::vector<int>(192 * 32, -1));
    cl_mem memory = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof width, &width), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof height, &height), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto got = read<int>(out, 192 * 32);
    for (int y = 0; y != 32; ++y)
      for (int x = 0; x != 192; ++x) {
        int sum = 0;
        for (int step = 0; step < 3; ++step)
          for (int each = x / 64 * 64; each < std::min(width, x / 64 * 64 + 64); ++each)
            sum += each * (step + y);
        ASSERT_EQ(got[size_t(y * 192 + x)], x < width && y < height ? sum : -1) << x << ' ' << y;
      }
  }
};

TEST_P(EarlyReturnOfRows, BehindAConjunction) {
  expect_sums("if (x < width && y < height) {", "}");
}

TEST_P(EarlyReturnOfRows, ByADisjunction) {
  expect_sums("if (y >= height || x >= width) return;", "");
}

INSTANTIATE_TEST_SUITE_P(, EarlyReturnOfRows,
                         testing::Values(std::array{192, 32}, std::array{192, 29},
                                         std::array{150, 32}, std::array{150, 5}, std::array{64, 1},
                                         std::array{1, 32}, std::array{191, 31}, std::array{0, 0}));

INSTANTIATE_TEST_SUITE_P(, EarlyReturn, testing::Values(1, 40, 48, 63, 83, 119, 120));

} // namespace
