// Kernels of 64 lanes with many operations that would be scalarized, so that functions do them for
// all lanes. These are calls that replace instructions, accesses without gathers and scatters, and
// divisions. Also masked accesses at the bounds of memory. The host checks the results. Runs cover
// processors that lack more and fewer of these instructions.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <bit>
#include <cmath>
#include <string>
#include <sys/mman.h>

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

// Two pages of memory between pages that no thread may access.
class GuardedPages {
public:
  GuardedPages()
      : base_(static_cast<char *>(
            mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    mprotect(base_ + page, size, PROT_READ | PROT_WRITE);
  }
  GuardedPages(const GuardedPages &) = delete;
  ~GuardedPages() { munmap(base_, 4 * page); }
  char *begin() const { return base_ + page; }
  char *end() const { return begin() + size; }

  static constexpr size_t page = 65536, size = 2 * page; // pages of AArch64 may have 64 KiB

private:
  char *base_;
};

class MaskedAccesses : public DeviceTest {
protected:
  // Some work-items load and store their own elements, and elements two apart. The first or the last
  // element is beside a page that no thread may access. The numbers of work-items are no multiples of
  // sub-groups, and vectors cross from one page into the other.
  template <class T> void try_all(const char *type) {
    Program program = build(R"(
kernel void some(global const T *in, global T *out, int first, int count, int step) {
  const int i = get_global_id(0);
  T sum = (T)i;
  for (int k = 0; k < 2; ++k)
    if (i >= first && i < count && (i + k) % 3 != 1)
      sum = (T)(sum * (T)5 + in[i]);
  if (i >= first && i < count && i % step == 0)
    out[i] = sum;
}
kernel void odd(global const T *in, global T *out, int first, int count, int step) {
  const int i = get_global_id(0);
  out[i] = (T)(in[2 * i + 1] * (T)3);
}
kernel void pairs(global const T *in, global T *out, int first, int count, int step) {
  const int i = get_global_id(0);
  if (i >= first && i < count)
    out[i] = (T)(in[2 * i] * (T)3 + in[2 * i + 1]);
}
kernel void fourth(global const T *in, global T *out, int first, int count, int step) {
  const int i = get_global_id(0);
  if (i % step != 2)
    out[i] = (T)(in[i / 4] + (T)i);
}
)",
                            (std::string("-DT=") + type).c_str());
    const size_t most = GuardedPages::size / sizeof(T);
    for (const char *name : {"some", "odd", "pairs", "fourth"})
      for (size_t count : {size_t(1), size_t(5), size_t(61), size_t(4099), most / 2})
        for (bool at_end : {false, true})
          for (int step : name == std::string("odd") ? std::vector{1} : std::vector{1, 3})
            run<T>(program, name, count, at_end, step);
  }

  template <class T>
  void run(cl_program program, const std::string &name, size_t count, bool at_end, int step) {
    SCOPED_TRACE(name + ", " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
                 (at_end ? " at the end" : " at the beginning"));
    const size_t items = name == "some" ? count + 7 : count; // the last ones access nothing
    const size_t loaded = name == "some" ? count : name == "fourth" ? (count + 3) / 4 : 2 * count;
    const size_t offset = name == "odd" ? 1 : 0; // its element 0 is not there
    const GuardedPages from, to;
    auto place = [&](const GuardedPages &pages, size_t length) {
      return reinterpret_cast<T *>(at_end ? pages.end() - length * sizeof(T) : pages.begin());
    };
    T *in = place(from, loaded - offset) - offset, *out = place(to, count);
    std::vector<T> expected(count);
    for (size_t i = offset; i < loaded; ++i)
      in[i] = T(i * 2654435761u >> 5);
    const size_t first = name == "some" && count > 1 ? 3 % count : 0;
    for (size_t i = 0; i < count; ++i) {
      out[i] = expected[i] = T(77);
      T sum = T(i);
      for (size_t k = 0; k < 2; ++k)
        if (name == "some" && i >= first && (i + k) % 3 != 1)
          sum = T(sum * T(5) + in[i]);
      if (name == "some" && i >= first && i % step == 0)
        expected[i] = sum;
      else if (name == "odd")
        expected[i] = T(in[2 * i + 1] * T(3));
      else if (name == "pairs")
        expected[i] = T(in[2 * i] * T(3) + in[2 * i + 1]);
      else if (name == "fourth" && i % step != 2)
        expected[i] = T(in[i / 4] + T(i));
    }
    Kernel kernel = make_kernel(program, name.c_str());
    const cl_int numbers[] = {cl_int(first), cl_int(count), step};
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, in), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 1, out), CL_SUCCESS);
    for (cl_uint i = 0; i != 3; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, 2 + i, sizeof(cl_int), &numbers[i]), CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(std::vector<T>(out, out + count), expected);
  }
};

TEST_F(MaskedAccesses, TouchNoOtherPages) {
  if ((device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) &
       CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) == 0)
    GTEST_SKIP() << "no memory of the system";
  try_all<cl_uchar>("uchar");
  try_all<cl_ushort>("ushort");
  try_all<cl_uint>("uint");
  try_all<cl_ulong>("ulong");
}

} // namespace
