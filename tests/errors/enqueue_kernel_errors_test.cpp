// Tests every error of clEnqueueNDRangeKernel and clEnqueueTask (OpenCL 3.0 API section 5.10).
#include "error_fixture.h"

#include <array>

using namespace lockstep::test;

namespace {

constexpr const char *source = R"(
kernel void one(global int *p, int value) { p[get_global_id(0)] = value; }
kernel void none(void) {}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(void) {}
kernel void with_local(local int *scratch, global int *out) {
  scratch[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = scratch[0];
}
)";

class EnqueueKernelErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    program_ = build(source, "-cl-std=CL3.0");
    none_ = make_kernel(program_, "none");
    buffer_ = make_buffer(4096);
    notifications_.sentences.clear();
  }
  cl_int enqueue(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
                 std::vector<size_t> offset = {}) {
    return clEnqueueNDRangeKernel(queue_, kernel, global.size(),
                                  offset.empty() ? nullptr : offset.data(), global.data(),
                                  local.empty() ? nullptr : local.data(), 0, nullptr, nullptr);
  }
  Program program_;
  Kernel none_;
  Memory buffer_;
};

TEST_F(EnqueueKernelErrors, Objects) {
  const size_t size = 8;
  auto no_kernel = reinterpret_cast<cl_kernel>(context_.get());
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(no_queue(), none_, 1, nullptr, &size,
                                                          nullptr, 0, nullptr, nullptr));
  expect(CL_INVALID_KERNEL, enqueue(no_kernel, {8}), "kernel");
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueTask(no_queue(), none_, 0, nullptr, nullptr));
  expect(CL_INVALID_KERNEL, clEnqueueTask(queue_, no_kernel, 0, nullptr, nullptr), "kernel");
  Kernel kernel = make_kernel(program_, "none");
  cl_kernel stale = kernel;
  kernel.reset();
  expect(CL_INVALID_KERNEL, enqueue(stale, {8}), "kernel");
  // The library reports the error to the queue's context, and this context has no callback.
  expect(CL_INVALID_CONTEXT, clEnqueueNDRangeKernel(other_queue_, none_, 1, nullptr, &size, nullptr,
                                                    0, nullptr, nullptr));
  expect(CL_INVALID_CONTEXT, clEnqueueTask(other_queue_, none_, 0, nullptr, nullptr));
}

TEST_F(EnqueueKernelErrors, Arguments) {
  Kernel kernel = make_kernel(program_, "one");
  expect(CL_INVALID_KERNEL_ARGS, enqueue(kernel, {8}), "argument 0");
  cl_mem argument = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  expect(CL_INVALID_KERNEL_ARGS, enqueue(kernel, {8}), "argument 1");
  expect(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), "argument 1");
  const int value = 1;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof value, &value), CL_SUCCESS);
  expect(CL_SUCCESS, enqueue(kernel, {8}));
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  buffer_.reset();
  expect(CL_INVALID_KERNEL_ARGS, enqueue(kernel, {8}), "argument 0");
}

TEST_F(EnqueueKernelErrors, Dimensions) {
  const size_t sizes[4] = {1, 1, 1, 1};
  for (cl_uint wrong : {0u, 4u, ~0u})
    expect(
        CL_INVALID_WORK_DIMENSION,
        clEnqueueNDRangeKernel(queue_, none_, wrong, nullptr, sizes, nullptr, 0, nullptr, nullptr),
        "work_dim");
}

TEST_F(EnqueueKernelErrors, GlobalSizeAndOffset) {
  expect(CL_INVALID_GLOBAL_OFFSET, enqueue(none_, {8}, {}, {~size_t{0} - 6}),
         "global_work_offset[0]");
  expect(CL_INVALID_GLOBAL_OFFSET, enqueue(none_, {8, 8}, {}, {0, ~size_t{0}}),
         "global_work_offset[1]");
  expect(CL_INVALID_GLOBAL_WORK_SIZE, enqueue(none_, {size_t{1} << 40, size_t{1} << 40}, {1, 1}),
         "global_work_size");
}

TEST_F(EnqueueKernelErrors, LocalSize) {
  size_t most = device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  std::array<size_t, 3> items = device_info<std::array<size_t, 3>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(none_, {8}, {0}), "local_work_size[0]");
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(none_, {8, 8}, {8, 0}), "local_work_size[1]");
  for (int dim = 0; dim < 3; ++dim) {
    std::vector<size_t> local(3, 1), global(3, 1);
    local[dim] = global[dim] = items[dim] + 1;
    expect(CL_INVALID_WORK_ITEM_SIZE, enqueue(none_, global, local), "local_work_size[");
  }
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(none_, {most, 2}, {most, 2}),
         "CL_KERNEL_WORK_GROUP_SIZE");
  expect(CL_SUCCESS, enqueue(none_, {most}, {most}));
}

// The private memory of a whole work-group must fit. The query returns how many work-items fit, and
// the local size that the library chooses does not exceed that number.
TEST_F(EnqueueKernelErrors, LargePrivateMemory) {
  Program program = build("kernel void big(global int *out) {"
                          "  int mine[100000];"
                          "  size_t id = get_global_id(0);"
                          "  for (int i = 0; i < 100000; ++i) mine[i] = i * id;"
                          "  barrier(CLK_LOCAL_MEM_FENCE);"
                          "  int sum = 0;"
                          "  for (int i = id % 7; i < 100000; i += 1000) sum += mine[i];"
                          "  out[id] = sum; }");
  Kernel kernel = make_kernel(program, "big");
  cl_mem argument = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof argument, &argument), CL_SUCCESS);
  size_t most = 0;
  ASSERT_EQ(clGetKernelWorkGroupInfo(kernel, device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                     nullptr),
            CL_SUCCESS);
  notifications_.sentences.clear();
  ASSERT_LT(most, 1000u);
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(kernel, {most + 1}, {most + 1}),
         "CL_KERNEL_WORK_GROUP_SIZE");
  expect(CL_SUCCESS, enqueue(kernel, {most}, {most}));
  expect(CL_SUCCESS, enqueue(kernel, {1000}));
  std::vector<int> result = read<int>(buffer_, 1000);
  for (int id = 0; id < 1000; ++id) {
    unsigned sum = 0;
    for (unsigned i = id % 7; i < 100000; i += 1000)
      sum += i * id;
    ASSERT_EQ(result[id], static_cast<int>(sum)) << id;
  }
}

TEST_F(EnqueueKernelErrors, RequiredSize) {
  Kernel kernel = make_kernel(program_, "required");
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(kernel, {8, 8}, {8, 2}), "requires");
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(kernel, {8}, {4}), "requires");
  expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(kernel, {8}), "requires");
  expect(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(queue_, kernel, 0, nullptr, nullptr),
         "requires");
  expect(CL_SUCCESS, enqueue(kernel, {8, 8}, {4, 2}));
  expect(CL_SUCCESS, enqueue(kernel, {8, 8}));
}

// OpenCL C before 2.0, and -cl-uniform-work-group-size, require that the local size divides the
// global size.
TEST_F(EnqueueKernelErrors, UniformWorkGroups) {
  for (const char *options : {"-cl-std=CL1.2", "-cl-std=CL3.0 -cl-uniform-work-group-size", ""}) {
    Program program = build(source, options);
    Kernel none = make_kernel(program, "none"), required = make_kernel(program, "required");
    notifications_.sentences.clear();
    expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(none, {10}, {4}), "non-uniform");
    expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(none, {8, 9}, {4, 2}), "global_work_size[1]");
    expect(CL_INVALID_WORK_GROUP_SIZE, enqueue(required, {9, 8}), "non-uniform");
    expect(CL_SUCCESS, enqueue(none, {10}));
    expect(CL_SUCCESS, enqueue(none, {12}, {4}));
  }
  expect(CL_SUCCESS, enqueue(none_, {10}, {4}));
}

TEST_F(EnqueueKernelErrors, TooMuchLocalMemory) {
  Kernel kernel = make_kernel(program_, "with_local");
  size_t most = device_info<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  cl_mem argument = buffer_;
  ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof argument, &argument), CL_SUCCESS);
  cl_int status = clSetKernelArg(kernel, 0, most + 4, nullptr);
  if (status == CL_SUCCESS)
    status = enqueue(kernel, {8}, {8});
  expect(CL_OUT_OF_RESOURCES, status, "local");
  ASSERT_EQ(clSetKernelArg(kernel, 0, 64, nullptr), CL_SUCCESS);
  expect(CL_SUCCESS, enqueue(kernel, {8}, {8}));
}

TEST_F(EnqueueKernelErrors, WaitList) {
  const size_t size = 8;
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueNDRangeKernel(queue_, none_, 1, nullptr, &size, nullptr, count, list, nullptr);
  });
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueTask(queue_, none_, count, list, nullptr);
  });
}

} // namespace
