// Tests every error of the kernel functions (OpenCL 3.0 API section 5.9).
#include "error_fixture.h"

#include <CL/cl_ext.h>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
  typedef struct { int a; float b; char c; } Record;
  kernel void mixed(global int *g, constant int *c, local int *l, int i, float3 v, Record r) {
    g[get_global_id(0)] = c[0] + l[0] + i + (int)v.x + r.a;
  }
  kernel __attribute__((reqd_work_group_size(4, 2, 1))) void other(global int *g) { g[0] = 1; }
)";

class KernelErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    program_ = build(source);
    kernel_ = make_kernel(program_, "mixed");
    buffer_ = make_buffer(1024);
    notifications_.sentences.clear();
  }
  cl_kernel no_kernel() { return reinterpret_cast<cl_kernel>(context_.get()); }
  cl_program no_program() { return reinterpret_cast<cl_program>(context_.get()); }
  cl_device_id no_device() { return reinterpret_cast<cl_device_id>(context_.get()); }

  Program program_;
  Kernel kernel_;
  Memory buffer_;
};

TEST_F(KernelErrors, Create) {
  const char *text = source;
  cl_int code = 1;
  Program not_built(clCreateProgramWithSource(context_, 1, &text, nullptr, &code));
  expect_null(CL_INVALID_PROGRAM,
              [&](cl_int *status) { return clCreateKernel(no_program(), "mixed", status); });
  expect_null(
      CL_INVALID_VALUE, [&](cl_int *status) { return clCreateKernel(program_, nullptr, status); },
      "kernel_name");
  expect_null(
      CL_INVALID_PROGRAM_EXECUTABLE,
      [&](cl_int *status) { return clCreateKernel(not_built, "mixed", status); }, "executable");
  expect_null(
      CL_INVALID_KERNEL_NAME,
      [&](cl_int *status) { return clCreateKernel(program_, "missing", status); }, "missing");
  expect_null(
      CL_INVALID_KERNEL_NAME, [&](cl_int *status) { return clCreateKernel(program_, "", status); },
      "kernel_name");

  cl_kernel kernels[2];
  cl_uint count = 0;
  expect(CL_INVALID_PROGRAM, clCreateKernelsInProgram(no_program(), 2, kernels, &count));
  expect(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(not_built, 2, kernels, &count),
         "executable");
  expect(CL_INVALID_VALUE, clCreateKernelsInProgram(program_, 1, kernels, &count), "num_kernels");
}

TEST_F(KernelErrors, StaleAndForeignHandles) {
  expect(CL_INVALID_KERNEL, clRetainKernel(no_kernel()));
  expect(CL_INVALID_KERNEL, clReleaseKernel(no_kernel()));
  expect_null(CL_INVALID_KERNEL,
              [&](cl_int *status) { return clCloneKernel(no_kernel(), status); });
  cl_kernel stale = kernel_.get();
  kernel_.reset();
  EXPECT_EQ(clReleaseKernel(stale), CL_INVALID_KERNEL);
  EXPECT_EQ(clRetainKernel(stale), CL_INVALID_KERNEL);
  cl_int value = 0;
  EXPECT_EQ(clSetKernelArg(stale, 3, sizeof value, &value), CL_INVALID_KERNEL);
  size_t size = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, stale, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            CL_INVALID_KERNEL);
}

TEST_F(KernelErrors, ArgumentIndex) {
  cl_int value = 0;
  expect(CL_INVALID_KERNEL, clSetKernelArg(no_kernel(), 0, sizeof value, &value));
  expect(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel_, 6, sizeof value, &value), "arg_index is 6");
  expect(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel_, ~0u, sizeof value, &value), "arg_index");
}

TEST_F(KernelErrors, MemoryArguments) {
  cl_mem buffer = buffer_, foreign = other_buffer_, wrong = no_buffer();
  for (cl_uint index : {0u, 1u}) {
    expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel_, index, sizeof buffer - 1, &buffer),
           "arg_size is 7");
    expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel_, index, 1024, &buffer), "arg_size is 1024");
    expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel_, index, sizeof wrong, &wrong),
           "memory object");
    expect(CL_INVALID_CONTEXT, clSetKernelArg(kernel_, index, sizeof foreign, &foreign),
           "another context");
  }
  int local = 0;
  void *no_handle = &local; // any address will do: the call does not dereference it
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel_, 0, sizeof no_handle, &no_handle),
         "memory object");
  cl_mem stale = buffer_;
  buffer_.reset();
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel_, 0, sizeof stale, &stale), "memory object");
}

TEST_F(KernelErrors, LocalArguments) {
  int value = 0;
  expect(CL_SUCCESS, clSetKernelArg(kernel_, 2, 0, nullptr)); // since OpenCL 3.1
  expect(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel_, 2, 64, &value), "arg_value is not null");
}

TEST_F(KernelErrors, ValueArguments) {
  char value[64] = {};
  expect(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel_, 3, 4, nullptr), "arg_value is null");
  for (size_t size : {0, 3, 5, 8})
    expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel_, 3, size, value),
           "arg_size is " + std::to_string(size));
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel_, 4, 12, value),
         "has 16 bytes"); // a float3 has the size of four floats
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel_, 5, 16, value), "has 12 bytes");
}

TEST_F(KernelErrors, MissingArguments) {
  size_t size = 1;
  expect(CL_INVALID_KERNEL_ARGS,
         clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
         "argument 0");
}

// The kernel holds no reference, so the program can release an argument before the launch.
TEST_F(KernelErrors, ReleasedArgument) {
  Kernel kernel = make_kernel(program_, "other");
  cl_mem memory = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  buffer_.reset();
  size_t size[2] = {4, 2};
  expect(CL_INVALID_KERNEL_ARGS,
         clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, size, nullptr, 0, nullptr, nullptr),
         "released");
}

TEST_F(KernelErrors, Queries) {
  size_t value[3];
  expect(CL_INVALID_KERNEL,
         clGetKernelInfo(no_kernel(), CL_KERNEL_NUM_ARGS, sizeof value, value, nullptr));
  expect(CL_INVALID_VALUE, clGetKernelInfo(kernel_, CL_DEVICE_NAME, sizeof value, value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, 1, value, nullptr),
         "param_value_size");

  expect(CL_INVALID_KERNEL,
         clGetKernelWorkGroupInfo(no_kernel(), device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof value,
                                  value, nullptr));
  expect(CL_INVALID_DEVICE,
         clGetKernelWorkGroupInfo(kernel_, no_device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof value,
                                  value, nullptr),
         "device");
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel_, nullptr, CL_KERNEL_WORK_GROUP_SIZE, sizeof value,
                                     value, nullptr),
            CL_SUCCESS); // there is only one device
  expect(CL_INVALID_VALUE,
         clGetKernelWorkGroupInfo(kernel_, device_, CL_DEVICE_NAME, sizeof value, value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE,
         clGetKernelWorkGroupInfo(kernel_, device_, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof value, value,
                                  nullptr),
         "built-in");
  expect(CL_INVALID_VALUE,
         clGetKernelWorkGroupInfo(kernel_, device_, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                  sizeof value - 1, value, nullptr),
         "param_value_size");
}

TEST_F(KernelErrors, ArgumentQueries) {
  size_t value[3];
  expect(CL_INVALID_KERNEL,
         clGetKernelArgInfo(no_kernel(), 0, CL_KERNEL_ARG_NAME, sizeof value, value, nullptr));
  expect(CL_INVALID_ARG_INDEX,
         clGetKernelArgInfo(kernel_, 6, CL_KERNEL_ARG_NAME, sizeof value, value, nullptr),
         "arg_index is 6");
  Program program = build(source, "-cl-kernel-arg-info");
  Kernel kernel = make_kernel(program, "mixed");
  expect(CL_INVALID_VALUE,
         clGetKernelArgInfo(kernel, 0, CL_DEVICE_NAME, sizeof value, value, nullptr), "param_name");
  expect(CL_INVALID_VALUE,
         clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 1, value, nullptr),
         "param_value_size");
}

// Only a program built from source has argument names.
TEST_F(KernelErrors, ArgumentInfoNotAvailable) {
  Program plain = build(source, "-DNO_ARGUMENT_INFO");
  Kernel kernel = make_kernel(plain, "mixed");
  char name[64];
  cl_int status = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr);
  // An implementation may keep the names without -cl-kernel-arg-info; then they are correct.
  if (status == CL_SUCCESS)
    EXPECT_STREQ(name, "g");
  else
    expect(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, status, "-cl-kernel-arg-info");
}

TEST_F(KernelErrors, SubGroups) {
  size_t value = 0;
  expect(CL_INVALID_KERNEL,
         clGetKernelSubGroupInfo(no_kernel(), device_, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr,
                                 sizeof value, &value, nullptr));
  expect(CL_INVALID_DEVICE,
         clGetKernelSubGroupInfo(kernel_, no_device(), CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr,
                                 sizeof value, &value, nullptr),
         "device");
  auto query = [&](cl_kernel_sub_group_info name, size_t input_size, const size_t *input,
                   size_t size) {
    return clGetKernelSubGroupInfo(kernel_, device_, name, input_size, input, size, &value,
                                   nullptr);
  };
  const size_t none[] = {0}, many[] = {64, 128}, items[] = {8, 2, 2, 2};
  for (cl_kernel_sub_group_info name :
       {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE}) {
    expect(CL_INVALID_VALUE, query(name, sizeof(size_t), nullptr, sizeof value), "null");
    expect(CL_INVALID_VALUE, query(name, 0, items, sizeof value), "input_value");
    expect(CL_INVALID_VALUE, query(name, 3, items, sizeof value), "input_value");
    expect(CL_INVALID_VALUE, query(name, sizeof items, items, sizeof value), "input_value");
    expect(CL_INVALID_VALUE, query(name, sizeof none, none, sizeof value), "local size");
    expect(CL_INVALID_VALUE, query(name, sizeof many, many, sizeof value), "local size");
    expect(CL_INVALID_VALUE, query(name, 2 * sizeof(size_t), items, 3), "param_value_size");
  }
  expect(CL_INVALID_VALUE, query(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 4, items, sizeof value),
         "input_value");
  expect(CL_INVALID_VALUE,
         query(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(size_t), nullptr, sizeof value),
         "input_value");
  expect(CL_INVALID_VALUE,
         query(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof(size_t), items, 4),
         "param_value_size");
  expect(CL_INVALID_VALUE, query(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 4), "param_value_size");
  expect(CL_INVALID_VALUE, query(CL_KERNEL_FUNCTION_NAME, 0, nullptr, sizeof value), "param_name");
}

class SuggestedLocalWorkSize : public KernelErrors,
                               public testing::WithParamInterface<const char *> {};
// The names of OpenCL 3.1 and of cl_khr_suggested_local_work_size.
INSTANTIATE_TEST_SUITE_P(BothNames, SuggestedLocalWorkSize,
                         testing::Values("clGetKernelSuggestedLocalWorkSize",
                                         "clGetKernelSuggestedLocalWorkSizeKHR"));

TEST_P(SuggestedLocalWorkSize, Errors) {
  using Function = cl_int(CL_API_CALL *)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                         const size_t *, size_t *);
  auto suggest = reinterpret_cast<Function>(
      clGetExtensionFunctionAddressForPlatform(find_platform(), GetParam()));
  ASSERT_NE(suggest, nullptr);
  size_t size[3] = {64, 64, 64}, local[3], zero[1] = {0}, far[1] = {~size_t{0}};
  expect(CL_INVALID_COMMAND_QUEUE, suggest(no_queue(), kernel_, 1, nullptr, size, local));
  expect(CL_INVALID_KERNEL, suggest(queue_, no_kernel(), 1, nullptr, size, local), "kernel");
  expect(CL_INVALID_CONTEXT, suggest(other_queue_, kernel_, 1, nullptr, size, local));
  expect(CL_INVALID_KERNEL_ARGS, suggest(queue_, kernel_, 1, nullptr, size, local), "argument 0");
  Kernel kernel = make_kernel(program_, "other");
  cl_mem memory = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  expect(CL_INVALID_WORK_DIMENSION, suggest(queue_, kernel, 0, nullptr, size, local),
         "work_dim is 0");
  expect(CL_INVALID_WORK_DIMENSION, suggest(queue_, kernel, 4, nullptr, size, local),
         "work_dim is 4");
  expect(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue_, kernel, 1, nullptr, nullptr, local),
         "global_work_size");
  expect(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue_, kernel, 1, nullptr, zero, local),
         "global_work_size[0]");
  expect(CL_INVALID_GLOBAL_OFFSET, suggest(queue_, kernel, 1, far, size, local),
         "global_work_offset[0]");
  expect(CL_INVALID_VALUE, suggest(queue_, kernel, 1, nullptr, size, nullptr),
         "suggested_local_work_size");
}

} // namespace
