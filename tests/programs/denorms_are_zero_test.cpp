// Kernels preserve subnormal numbers unless their program was built with -cl-denorms-are-zero. That
// option affects only the kernels of its program.
#include "opencl_fixture.h"

#include <limits>
#include <string>

namespace lockstep::test {
namespace {

constexpr size_t count = 1024;
constexpr float smallest = std::numeric_limits<float>::min();
constexpr double smallest_double = std::numeric_limits<double>::min();

class DenormsAreZero : public DeviceTest {
protected:
  struct Results {
    std::vector<cl_float> halved, doubled;
    std::vector<cl_double> in_double;
  };

  Results run(cl_program program, const char *name = "k") {
    Kernel kernel = make_kernel(program, name);
    Memory halved = make_buffer(count * sizeof(cl_float)),
           doubled = make_buffer(count * sizeof(cl_float)),
           in_double = make_buffer(count * sizeof(cl_double));
    set(kernel, 0, cl_mem(halved));
    set(kernel, 1, cl_mem(doubled));
    set(kernel, 2, cl_mem(in_double));
    set(kernel, 3, smallest);
    set(kernel, 4, smallest_double);
    const size_t local = 64;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return {read<cl_float>(halved, count), read<cl_float>(doubled, count),
            read<cl_double>(in_double, count)};
  }

  template <class T> void set(cl_kernel kernel, cl_uint index, T value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }

  // Computes a subnormal result and uses a subnormal argument; both for double, too.
  static std::string source(const std::string &before = "") {
    return "kernel void k(global float *halved, global float *doubled, global double *in_double,\n"
           "              float smallest, double smallest_double) {\n"
           "  size_t i = get_global_id(0);\n" +
           before +
           "  halved[i] = smallest * 0.5f;\n"
           "  doubled[i] = as_float(0x200000 + (int)(i & 1)) * 4.0f;\n"
           "  in_double[i] = smallest_double * 0.5;\n"
           "}\n";
  }

  static void expect_kept(const Results &results) {
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.halved[i], smallest / 2);
      ASSERT_EQ(results.doubled[i], i & 1 ? smallest + 4 * 0x1p-149f : smallest);
      ASSERT_EQ(results.in_double[i], smallest_double / 2);
    }
  }

  static void expect_zero(const Results &results) {
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(results.halved[i], 0);
      ASSERT_EQ(results.doubled[i], 0);
      ASSERT_EQ(results.in_double[i], 0);
    }
  }

  void SetUp() override {
    DeviceTest::SetUp();
    with_option_ = build(source().c_str(), "-cl-std=CL3.0 -cl-denorms-are-zero");
    without_ = build(source().c_str(), "-cl-std=CL3.0");
  }

  Program with_option_, without_;
};

// The kernels of both programs alternate on the same thread.
TEST_F(DenormsAreZero, OnlyInProgramsThatSaySo) {
  for (int round = 0; round < 20; ++round) {
    expect_zero(run(with_option_));
    expect_kept(run(without_));
  }
}

TEST_F(DenormsAreZero, AlsoInGroupsThatWait) {
  const std::string wait = "  local int flag;\n"
                           "  if (get_local_id(0) == 0) flag = 0;\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  if (get_local_id(0) == 63) atomic_inc(&flag);\n"
                           "  if (get_local_id(0) == 0) while (atomic_or(&flag, 0) == 0) {}\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n";
  Program waiting = build(source(wait).c_str(), "-cl-std=CL3.0 -cl-denorms-are-zero"),
          keeping = build(source(wait).c_str(), "-cl-std=CL3.0");
  for (int round = 0; round < 5; ++round) {
    expect_zero(run(waiting));
    expect_kept(run(keeping));
  }
}

// The fault ends the kernel in the middle.
TEST_F(DenormsAreZero, TheModeIsGoneAfterAFault) {
  for (int round = 0; round < 5; ++round) {
    Program faulty = build("kernel void k(global int *at) { at[get_global_id(0)] = 1; }",
                           "-cl-std=CL3.0 -cl-denorms-are-zero");
    Kernel kernel = make_kernel(faulty, "k");
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr), CL_SUCCESS); // a null pointer
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, nullptr, 0, nullptr,
                                     event.out()),
              CL_SUCCESS);
    const cl_event events[] = {event};
    EXPECT_EQ(clWaitForEvents(1, events), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    expect_kept(run(without_));
  }
}

// The waiting thread may have run the kernel.
TEST_F(DenormsAreZero, TheHostKeepsItsMode) {
  expect_zero(run(with_option_));
  volatile float x = smallest;
  EXPECT_EQ(x * 0.5f, 0x1p-127f);
}

// A kernel may rely on subnormal numbers, however the other parts of its program were compiled.
TEST_F(DenormsAreZero, OnlyIfAllPartsOfAProgramSaySo) {
  auto linked = [&](const char *options_of_kernel, const char *options_of_rest,
                    const char *options_of_link) {
    const std::string text = source(), rest = "float other(float x) { return x; }";
    const char *texts[] = {text.c_str(), rest.c_str()},
               *options[] = {options_of_kernel, options_of_rest};
    Program parts[2];
    for (int i = 0; i < 2; ++i) {
      parts[i] = Program(clCreateProgramWithSource(context_, 1, &texts[i], nullptr, nullptr));
      EXPECT_EQ(
          clCompileProgram(parts[i], 0, nullptr, options[i], 0, nullptr, nullptr, nullptr, nullptr),
          CL_SUCCESS);
    }
    cl_program programs[] = {parts[0], parts[1]};
    cl_int error = 0;
    Program program(clLinkProgram(context_, 0, nullptr, options_of_link, 2, programs, nullptr,
                                  nullptr, &error));
    EXPECT_EQ(error, CL_SUCCESS);
    return run(program);
  };
  const char *option = "-cl-denorms-are-zero";
  expect_zero(linked(option, option, ""));
  expect_kept(linked("", option, ""));
  expect_kept(linked(option, "", ""));
  expect_zero(linked("", "", option));
}

} // namespace
} // namespace lockstep::test
