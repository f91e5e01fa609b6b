// Tests programs in C++ for OpenCL (cl_ext_cxx_for_opencl).
#include "kernel_arguments.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <numeric>
#include <string>

using namespace lockstep::test;

namespace {

class CxxForOpenCL : public DeviceTest {
protected:
  // Runs a kernel `k(global int *)` over 64 work-items in groups of 16; returns the first item's
  // numbers.
  std::vector<cl_int> run(const char *source, const char *options = "-cl-std=CLC++") {
    Program program = build(source, options);
    std::vector<cl_int> numbers(64);
    std::iota(numbers.begin(), numbers.end(), 0);
    Memory to = make_buffer(numbers.size() * sizeof(cl_int));
    write(to, numbers);
    enqueue_kernel(queue_, make_kernel(program, "k"), 64, 16, to);
    return read<cl_int>(to, numbers.size());
  }

  std::string log_of_failure(const char *source) {
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &source, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CLC++", nullptr, nullptr),
              CL_BUILD_PROGRAM_FAILURE);
    size_t size = 0;
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, ' ');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
  }
};

TEST_F(CxxForOpenCL, VersionIsThatOfTheMacro) {
  EXPECT_EQ(device_info<cl_version>(CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT),
            cl_version{CL_MAKE_VERSION(1, 0, 0)});
  constexpr const char *source =
      "kernel void k(global int *to) { to[get_global_id(0)] = __OPENCL_CPP_VERSION__; }";
  EXPECT_EQ(run(source)[7], 100);
  EXPECT_EQ(run(source, "-cl-std=CLC++1.0")[7], 100);
  EXPECT_EQ(run(source, "-cl-std=CLC++2021")[7], 202100);
}

TEST_F(CxxForOpenCL, TemplatesClassesAndLambdas) {
  const std::vector<cl_int> got = run(R"(
    namespace shapes {
    template <typename T, int n> class Ring {
    public:
      Ring() { for (int i = 0; i < n; ++i) values[i] = i; }
      T &operator[](int i) { return values[i % n]; }
      ~Ring() { *ended += 1; }
      T *ended = nullptr;
    private:
      T values[n];
    };
    }
    template <typename T> T apply(T value) { return value; }
    template <typename T, typename F, typename... Rest> T apply(T value, F first, Rest... rest) {
      return apply(first(value), rest...);
    }
    struct Base { int a = 3; };
    struct Derived : Base { constexpr Derived(int more) : b(more) {} int sum() const { return a + b; } int b; };
    global Derived fixed(4);
    int overloaded(int) { return 1; }
    int overloaded(float) { return 2; }
    kernel void k(global int *to) {
      const int me = get_global_id(0);
      int ended = 0;
      {
        shapes::Ring<int, 5> ring;
        ring.ended = &ended;
        ring[7] += 100;
        to[me] = ring[2] + ring[me];
      }
      const auto twice = [](int x) { return 2 * x; };
      to[me] += apply(me, twice, [&](int x) { return x + ended; }) * 1000;
      to[me] += overloaded(1.0f) * 1000000 + fixed.sum() * 10000000;
    })");
  for (int i = 0; i < 64; ++i) {
    const int ring = i % 5 == 2 ? 102 : i % 5;
    ASSERT_EQ(got[size_t(i)], 102 + ring + (2 * i + 1) * 1000 + 2'000'000 + 70'000'000) << i;
  }
}

TEST_F(CxxForOpenCL, BuiltinsOfOpenCLC) {
  const std::vector<cl_int> got = run(R"(
    template <typename T> T sum_of_group(T value, local T *place) {
      place[get_local_id(0)] = value;
      barrier(CLK_LOCAL_MEM_FENCE);
      T sum = 0;
      for (int i = 0; i < get_local_size(0); ++i) sum += place[i];
      return sum;
    }
    kernel void k(global int *to) {
      local int place[16];
      const int me = get_global_id(0), mine = to[me];
      int4 v = convert_int4(native_divide((float4)((float)mine, 2, 4, 8), 1.0f)).xyzw;
      const int sum = sum_of_group(mine, place) + work_group_reduce_add(v.y);
      local atomic_int count;
      if (get_local_id(0) == 0) atomic_init(&count, 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add(&count, (int)sqrt(4.0f));
      barrier(CLK_LOCAL_MEM_FENCE);
      to[me] = sum + static_cast<int>(dot((float2)(1, 2), (float2)(3, 4))) * 1000 + atomic_load(&count) * 100000 + v.x;
    })");
  for (int i = 0; i < 64; ++i) {
    const int group = i / 16, sum = 16 * (16 * group) + 120 + 32;
    ASSERT_EQ(got[size_t(i)], sum + 11'000 + 3'200'000 + i) << i;
  }
}

TEST_F(CxxForOpenCL, WhatCannotRunIsAnError) {
  EXPECT_NE(log_of_failure("struct S { int a; S() { a = 5; } }; global S s;\n"
                           "kernel void k(global int *to) { *to = s.a; }")
                .find("constructor"),
            std::string::npos);
  EXPECT_NE(log_of_failure("struct S { virtual int f() { return 1; } };\n"
                           "kernel void k(global int *to) { S s; *to = s.f(); }")
                .find("virtual"),
            std::string::npos);
}

} // namespace
