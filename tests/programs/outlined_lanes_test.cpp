// Kernels of 64 lanes with many operations that would be scalarized, so that functions do them for
// all lanes. These are calls that replace instructions, accesses without gathers and scatters, and
// divisions. The host checks the results. Runs cover processors that lack more and fewer of these
// instructions.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <bit>
#include <cmath>
#include <string>

using namespace lockstep::test;

namespace {

class OutlinedLanes : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!has_sub_group_size(64))
      GTEST_SKIP() << "no sub-groups of 64 work-items";
  }

  // Repeats `body` 16 times, with J from 0 to 15. `a` and `b` are the inputs and `out` is the
  // result for element N of this work-item.
  template <class Out, class A, class B>
  std::vector<Out> run(const std::string &types, const std::string &body, const std::vector<A> &a,
                       const std::vector<B> &b) {
    std::string source =
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n" + types +
        "\n__attribute__((intel_reqd_sub_group_size(64))) kernel void k(global const A *a, "
        "global const B *b, global Out *out) {\n";
    for (int j = 0; j < repeated; ++j)
      source +=
          "{ const uint N = get_global_id(0) * 16 + " + std::to_string(j) + "; " + body + " }\n";
    Program program = build((source + "}").c_str());
    Kernel kernel = make_kernel(program, "k");
    Memory first = make_buffer(a.size() * sizeof(A)), second = make_buffer(b.size() * sizeof(B)),
           result = make_buffer(a.size() * sizeof(Out));
    write(first, a);
    write(second, b);
    write(result, std::vector<Out>(a.size(), Out(77)));
    cl_mem arguments[] = {first.get(), second.get(), result.get()};
    for (cl_uint i = 0; i < 3; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    const size_t items = a.size() / repeated, local = 64;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<Out>(result, a.size());
  }

  static constexpr int repeated = 16;
  static constexpr size_t all = 64 * repeated * 8;

  static std::vector<float> numbers(uint32_t seed) {
    std::vector<float> list;
    for (size_t i = 0; i < all; ++i) {
      seed = seed * 1664525 + 1013904223;
      list.push_back(std::ldexp(float(int32_t(seed)), int(seed >> 5 & 31) - 45));
    }
    return list;
  }
  static std::vector<cl_uint> words(uint32_t seed, uint32_t below) {
    std::vector<cl_uint> list;
    for (size_t i = 0; i < all; ++i)
      list.push_back((seed = seed * 1664525 + 1013904223) / 65536 % below);
    return list;
  }
};

TEST_F(OutlinedLanes, FusedMultiplyAdd) {
  const auto a = numbers(1), b = numbers(2);
  const auto got = run<float>("typedef float A; typedef float B; typedef float Out;",
                              "out[N] = fma(a[N], b[N], -a[N]);", a, b);
  for (size_t i = 0; i < all; ++i)
    ASSERT_EQ(got[i], std::fma(a[i], b[i], -a[i])) << i;
}

TEST_F(OutlinedLanes, HalvesToFloats) {
  std::vector<cl_ushort> halves;
  for (uint32_t half = 0; half < 0x10000; ++half)
    halves.push_back(cl_ushort(half));
  const auto got = run<float>("typedef half A; typedef uint B; typedef float Out;",
                              "out[N] = vload_half(N, a);", halves, words(1, 2));
  for (uint32_t half = 0; half < 0x10000; ++half)
    if (is_nan_half(cl_ushort(half)))
      ASSERT_TRUE(std::isnan(got[half])) << half;
    else
      ASSERT_EQ(std::bit_cast<uint32_t>(got[half]),
                std::bit_cast<uint32_t>(float(number_of_half(cl_ushort(half)))))
          << half;
}

// Each half, the midpoint to the next one, and the numbers next to the midpoint.
TEST_F(OutlinedLanes, FloatsToHalves) {
  std::vector<float> exact;
  for (uint32_t half = 0; half < half_infinity; half += 3) {
    const float low = float(number_of_half(cl_ushort(half)));
    const float high =
        half + 1 == half_infinity ? 65536.0f : float(number_of_half(cl_ushort(half + 1)));
    const float middle = (low + high) / 2;
    for (float number : {low, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e30f)})
      exact.push_back(half % 2 ? number : -number);
  }
  for (float number : {INFINITY, -INFINITY, 1e-30f, -1e-30f, 3e38f, 1e-45f, 0.0f, -0.0f})
    exact.push_back(number);
  exact.resize((exact.size() + 1023) / 1024 * 1024, 1.0f);
  const auto got = run<cl_ushort>("typedef float A; typedef uint B; typedef half Out;",
                                  "vstore_half_rte(a[N], N, out);", exact, words(1, 2));
  const Halves halves;
  for (size_t i = 0; i < exact.size(); ++i)
    ASSERT_EQ(got[i], halves.rounded(exact[i], Rounding::nearest)) << exact[i];
  for (cl_ushort half :
       run<cl_ushort>("typedef float A; typedef uint B; typedef half Out;",
                      "vstore_half_rte(a[N], N, out);", std::vector<float>(1024, NAN), words(1, 2)))
    ASSERT_TRUE(is_nan_half(half)) << half;
}

// Only some lanes access memory; the addresses of the others are outside of any buffer.
TEST_F(OutlinedLanes, GathersAndScattersOfSomeLanes) {
  const auto a = words(3, all), b = words(4, 3);
  const auto got = run<cl_uint>("typedef uint A; typedef uint B; typedef uint Out;",
                                "if (b[N] == 1) out[N ^ 5] = a[a[N]]; else if (b[N] == 7) "
                                "out[N << 40] = a[(ulong)a[N] << 40];",
                                a, b);
  for (size_t i = 0; i < all; ++i)
    ASSERT_EQ(got[i ^ 5], b[i] == 1 ? a[a[i]] : 77) << i;
}

TEST_F(OutlinedLanes, Divisions) {
  const auto a = words(5, 60000);
  auto b = words(6, 9);
  const auto got = run<cl_int>("typedef int A; typedef uint B; typedef int Out;",
                               "long x = (long)(a[N] - 30000) << 20, y = (long)b[N] - 4;\n"
                               "if (y != 0) out[N] = (int)(x / (y << 3)) ^ (int)(x % (y << 3));",
                               std::vector<cl_int>(a.begin(), a.end()), b);
  for (size_t i = 0; i < all; ++i) {
    const int64_t x = (int64_t(a[i]) - 30000) * (1 << 20), y = (int64_t(b[i]) - 4) * 8;
    ASSERT_EQ(got[i], y == 0 ? 77 : cl_int(x / y) ^ cl_int(x % y)) << i;
  }
}

} // namespace
