// Tests kernels (OpenCL 3.0 API section 5.9): arguments of every kind, capture at enqueue, clones,
// queries.
#include "opencl_fixture.h"

#include <CL/cl_ext.h>

#include <array>
#include <numeric>

using namespace lockstep::test;

namespace {

class KernelTest : public DeviceTest {
protected:
  void set(cl_kernel kernel, cl_uint index, cl_mem memory) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof memory, &memory), CL_SUCCESS);
  }
  template <class T> void set_value(cl_kernel kernel, cl_uint index, const T &value) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS);
  }
  void run(cl_kernel kernel, size_t global, size_t local = 0) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, local ? &local : nullptr,
                                     0, nullptr, nullptr),
              CL_SUCCESS);
  }
  template <class T> T work_group_info(cl_kernel kernel, cl_kernel_work_group_info name) {
    T value{};
    EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, device_, name, sizeof value, &value, nullptr),
              CL_SUCCESS);
    return value;
  }
  std::string text(cl_kernel kernel, cl_kernel_info name) {
    char value[256] = "";
    EXPECT_EQ(clGetKernelInfo(kernel, name, sizeof value, value, nullptr), CL_SUCCESS);
    return value;
  }
  std::string argument_text(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name) {
    char value[256] = "";
    EXPECT_EQ(clGetKernelArgInfo(kernel, index, name, sizeof value, value, nullptr), CL_SUCCESS);
    return value;
  }
  template <class T> T argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name) {
    T value{};
    EXPECT_EQ(clGetKernelArgInfo(kernel, index, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
};

struct Record { // same as in the kernel below, including padding
  char c;
  double d;
  short s[3];
};

TEST_F(KernelTest, EveryKindOfArgument) {
  Program program = build(R"(
    typedef struct { char c; double d; short s[3]; } Record;
    kernel void k(char c, global double *out, float3 v, Record r, constant int *k, local int *scratch, ulong2 u,
                  uchar16 bytes, global int *nothing) {
      scratch[get_local_id(0)] = k[0];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_global_id(0) == 0) {
        out[0] = c;
        out[1] = v.x + 10 * v.y + 100 * v.z;
        out[2] = r.c + r.d;
        out[3] = r.s[0] + r.s[1] + r.s[2];
        out[4] = scratch[3];
        out[5] = u.y - u.x;
        out[6] = bytes.sf;
        out[7] = nothing == 0;
      }
    }
  )");
  Kernel kernel = make_kernel(program, "k");
  Memory out = make_buffer(8 * sizeof(double)), constant = make_buffer(sizeof(int));
  write<int>(constant, {77});
  set_value(kernel, 0, char(-5));
  set(kernel, 1, out);
  set_value(kernel, 2, cl_float3{{1, 2, 3}});
  set_value(kernel, 3, Record{7, 0.5, {100, 20, 3}});
  set(kernel, 4, constant);
  EXPECT_EQ(clSetKernelArg(kernel, 5, 16 * sizeof(int), nullptr), CL_SUCCESS);
  set_value(kernel, 6, cl_ulong2{{1, 1000}});
  cl_uchar16 bytes = {};
  bytes.s[15] = 200;
  set_value(kernel, 7, bytes);
  EXPECT_EQ(clSetKernelArg(kernel, 8, sizeof(cl_mem), nullptr), CL_SUCCESS);
  run(kernel, 16, 16);
  EXPECT_EQ(read<double>(out, 8), (std::vector<double>{-5, 321, 7.5, 123, 77, 999, 200, 1}));
}

// A pointer to a null handle means the same as a null pointer; both can replace a buffer.
TEST_F(KernelTest, NullBuffers) {
  Program program = build("kernel void k(global int *out, global int *a) { *out = a == 0; }");
  Kernel kernel = make_kernel(program, "k");
  Memory out = make_buffer(sizeof(int)), other = make_buffer(64);
  set(kernel, 0, out);
  set(kernel, 1, other);
  run(kernel, 1);
  EXPECT_EQ(read<int>(out, 1)[0], 0);
  set(kernel, 1, nullptr);
  run(kernel, 1);
  EXPECT_EQ(read<int>(out, 1)[0], 1);
}

// A launch uses the arguments set at the time of its enqueue, even if it runs later.
TEST_F(KernelTest, ArgumentsAreTakenAtEnqueue) {
  Program program = build("kernel void k(global int *a, int i, int v) { a[i] = v; }");
  Kernel kernel = make_kernel(program, "k");
  Memory buffer = make_buffer(8 * sizeof(int));
  Event gate = make_user_event();
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
  set(kernel, 0, buffer);
  for (int i = 0; i < 8; ++i) {
    set_value(kernel, 1, i);
    set_value(kernel, 2, i * i);
    run(kernel, 1);
  }
  set(kernel, 0, nullptr);
  kernel.reset();
  program.reset();
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(read<int>(buffer, 8), (std::vector<int>{0, 1, 4, 9, 16, 25, 36, 49}));
}

// A launch retains its buffers after the program has released them.
TEST_F(KernelTest, BuffersOutliveTheirRelease) {
  Program program = build("kernel void k(global int *to, global const int *from) "
                          "{ to[get_global_id(0)] = from[get_global_id(0)]; }");
  Kernel kernel = make_kernel(program, "k");
  std::vector<int> data(1 << 16);
  std::iota(data.begin(), data.end(), 0);
  Memory from = make_buffer(data.size() * sizeof(int)), to = make_buffer(data.size() * sizeof(int));
  write(from, data);
  Event gate = make_user_event();
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueBarrierWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
  set(kernel, 0, to);
  set(kernel, 1, from);
  run(kernel, data.size());
  from.reset();
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(read<int>(to, data.size()), data);
}

TEST_F(KernelTest, CloneHasItsOwnArguments) {
  Program program = build("kernel void k(global int *a, int v) { *a = v; }");
  Kernel kernel = make_kernel(program, "k");
  Memory one = make_buffer(sizeof(int)), two = make_buffer(sizeof(int));
  set(kernel, 0, one);
  set_value(kernel, 1, 5);
  cl_int status = 1;
  Kernel clone(clCloneKernel(kernel, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  set(clone, 0, two);
  set_value(kernel, 1, 6);
  run(kernel, 1);
  run(clone, 1);
  EXPECT_EQ(read<int>(one, 1)[0], 6);
  EXPECT_EQ(read<int>(two, 1)[0], 5);
}

TEST_F(KernelTest, AllKernelsOfAProgram) {
  Program program =
      build("kernel void a(global int *o) { *o = 1; } kernel void b(global int *o) { *o = 2; } "
            "kernel void c(global int *o) { *o = 3; }");
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(program, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 3u);
  cl_kernel kernels[5] = {};
  EXPECT_EQ(clCreateKernelsInProgram(program, 5, kernels, &count), CL_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(kernels[3], nullptr);
  std::string names;
  for (cl_uint i = 0; i < count; ++i) {
    names += text(kernels[i], CL_KERNEL_FUNCTION_NAME);
    EXPECT_EQ(clReleaseKernel(kernels[i]), CL_SUCCESS);
  }
  EXPECT_EQ(names, "abc");
}

TEST_F(KernelTest, Queries) {
  Program program = build(
      "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(global int *a, local int *l) "
      "{ local int own[100]; own[get_local_id(0)] = 1; l[0] = own[0]; *a = l[0]; }");
  Kernel kernel = make_kernel(program, "k");
  EXPECT_EQ(text(kernel, CL_KERNEL_FUNCTION_NAME), "k");
  EXPECT_EQ(text(kernel, CL_KERNEL_ATTRIBUTES), "reqd_work_group_size(4,2,1)");
  cl_uint value = 0;
  EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof value, &value, nullptr), CL_SUCCESS);
  EXPECT_EQ(value, 2u);
  EXPECT_EQ(clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof value, &value, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(value, 1u);
  using Sizes = std::array<size_t, 3>;
  EXPECT_EQ(work_group_info<Sizes>(kernel, CL_KERNEL_COMPILE_WORK_GROUP_SIZE), (Sizes{4, 2, 1}));
  EXPECT_GE(work_group_info<size_t>(kernel, CL_KERNEL_WORK_GROUP_SIZE), 8u);
  EXPECT_GE(work_group_info<size_t>(kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE), 1u);
  const auto before = work_group_info<cl_ulong>(kernel, CL_KERNEL_LOCAL_MEM_SIZE);
  EXPECT_GE(before, 400u);
  EXPECT_EQ(clSetKernelArg(kernel, 1, 1024, nullptr), CL_SUCCESS);
  EXPECT_GE(work_group_info<cl_ulong>(kernel, CL_KERNEL_LOCAL_MEM_SIZE), before + 1024);
}

TEST_F(KernelTest, ArgumentInformation) {
  Program program = build(
      "kernel void k(global const float4 *restrict a, constant uint *b, local volatile int *c, "
      "unsigned int d, const short e) { c[0] = a[0].x + b[0] + d + e; }",
      "-cl-kernel-arg-info");
  Kernel kernel = make_kernel(program, "k");
  struct Expected {
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier qualifiers;
    const char *type, *name;
  };
  const Expected expected[] = {
      {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT,
       "float4*", "a"},
      {CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_TYPE_CONST, "uint*", "b"},
      {CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_VOLATILE, "int*", "c"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "uint", "d"},
      {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_TYPE_NONE, "short", "e"},
  };
  for (cl_uint i = 0; i < std::size(expected); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(
        argument_info<cl_kernel_arg_address_qualifier>(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER),
        expected[i].address);
    EXPECT_EQ(
        argument_info<cl_kernel_arg_access_qualifier>(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER),
        cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_NONE});
    EXPECT_EQ(argument_info<cl_kernel_arg_type_qualifier>(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER),
              expected[i].qualifiers);
    EXPECT_EQ(argument_text(kernel, i, CL_KERNEL_ARG_TYPE_NAME), expected[i].type);
    EXPECT_EQ(argument_text(kernel, i, CL_KERNEL_ARG_NAME), expected[i].name);
  }
}

TEST_F(KernelTest, LocalArgumentsMayHaveNoBytes) {
  Program program = build("kernel void k(global int *out, local int *none, local int *numbers) {\n"
                          "  int i = get_local_id(0); numbers[i] = i;\n"
                          "  barrier(CLK_LOCAL_MEM_FENCE); out[i] = numbers[63 - i]; }");
  Kernel kernel = make_kernel(program, "k");
  Memory buffer = make_buffer(64 * sizeof(cl_int));
  cl_mem memory = buffer;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 1, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 2, 64 * sizeof(cl_int), nullptr), CL_SUCCESS);
  run(kernel, 64, 64);
  const auto numbers = read<cl_int>(buffer, 64);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(numbers[i], 63 - i);
}

// The suggested local size is the one that a launch without a local size uses.
TEST_F(KernelTest, SuggestedLocalSize) {
  using Function = cl_int(CL_API_CALL *)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                         const size_t *, size_t *);
  auto suggest = reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(
      find_platform(), "clGetKernelSuggestedLocalWorkSize"));
  ASSERT_NE(suggest, nullptr);
  Program program = build("kernel void k(global ulong *a) { for (int d = 0; d < 3; ++d) a[d] = "
                          "get_enqueued_local_size(d); }",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "k");
  Memory buffer = make_buffer(3 * sizeof(cl_ulong));
  set(kernel, 0, buffer);
  const size_t sizes[][3] = {{1, 1, 1}, {1000, 1, 1}, {64, 64, 1}, {7, 11, 13}, {1 << 16, 1, 1}};
  for (const auto &size : sizes) {
    size_t local[3] = {};
    EXPECT_EQ(suggest(queue_, kernel, 3, nullptr, size, local), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, size, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<cl_ulong>(buffer, 3), (std::vector<cl_ulong>{local[0], local[1], local[2]}));
  }
}

// ---- as many arguments as the queries promise

std::string kernel_with(size_t count, const std::string &type, const std::string &use) {
  std::string parameters, sum = "0";
  for (size_t i = 0; i < count; ++i) {
    parameters += ", " + type + " a" + std::to_string(i);
    sum += " + " + use + "a" + std::to_string(i);
  }
  return "kernel void k(global long *result" + parameters + ") { *result = " + sum + "; }";
}

TEST_F(KernelTest, TakesAllConstantArgumentsAndAResult) {
  const cl_uint count = device_info<cl_uint>(CL_DEVICE_MAX_CONSTANT_ARGS);
  Program program = build(kernel_with(count, "constant int *", "*").c_str());
  Kernel kernel = make_kernel(program, "k");
  Memory result = make_buffer(sizeof(cl_long)), values = make_buffer(sizeof(cl_int));
  write<cl_int>(values, {7});
  set(kernel, 0, result);
  for (cl_uint i = 1; i <= count; ++i)
    set(kernel, i, values);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_long>(result, 1)[0], cl_long{7} * count);
}

TEST_F(KernelTest, TakesValuesUpToTheParameterSize) {
  const size_t bytes = device_info<size_t>(CL_DEVICE_MAX_PARAMETER_SIZE);
  const auto count = cl_uint(bytes / sizeof(cl_long) - 1);
  Program program = build(kernel_with(count, "long", "").c_str());
  Kernel kernel = make_kernel(program, "k");
  Memory result = make_buffer(sizeof(cl_long));
  set(kernel, 0, result);
  for (cl_long i = 1; i <= count; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, cl_uint(i), sizeof i, &i), CL_SUCCESS);
  const size_t one = 1;
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read<cl_long>(result, 1)[0], cl_long{count} * (count + 1) / 2);
}

} // namespace
