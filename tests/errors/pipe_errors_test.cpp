// Tests invalid uses of pipes (OpenCL 3.0 API sections 5.4 and 5.9.2), and pipes passed where other
// memory objects are expected.
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

class PipeErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    cl_int status = 1;
    pipe_ = Memory(clCreatePipe(context_, 0, 4, 8, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
  }
  void expect_refused(cl_int code, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                      const cl_pipe_properties *properties, const char *word) {
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreatePipe(context_, flags, packet_size, max_packets, properties, status);
        },
        word);
  }
  Memory pipe_;
};

TEST_F(PipeErrors, Create) {
  expect_null(CL_INVALID_CONTEXT,
              [&](cl_int *status) { return clCreatePipe(no_context(), 0, 4, 4, nullptr, status); });
  for (cl_mem_flags flags :
       {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR,
        CL_MEM_COPY_HOST_PTR, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, 1 << 20})
    expect_refused(CL_INVALID_VALUE, flags, 4, 4, nullptr, "flags");
  const cl_pipe_properties none[] = {0};
  expect_refused(CL_INVALID_VALUE, 0, 4, 4, none, "properties");
  expect_refused(CL_INVALID_PIPE_SIZE, 0, 0, 4, nullptr, "pipe_packet_size");
  const cl_uint most = device_info<cl_uint>(CL_DEVICE_PIPE_MAX_PACKET_SIZE);
  expect_refused(CL_INVALID_PIPE_SIZE, 0, most + 1, 4, nullptr, "pipe_packet_size");
  expect_refused(CL_INVALID_PIPE_SIZE, 0, 4, 0, nullptr, "pipe_max_packets");
  expect_refused(CL_MEM_OBJECT_ALLOCATION_FAILURE, 0, most, 0xffffffff, nullptr, "section 5.4.1");
  cl_int status = 1;
  Memory largest(clCreatePipe(context_, 0, most, 1, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
}

TEST_F(PipeErrors, Info) {
  Memory buffer = make_buffer(64);
  cl_uint value = 0;
  EXPECT_EQ(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr),
            CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetPipeInfo(no_buffer(), CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr),
            CL_INVALID_MEM_OBJECT);
  expect(CL_INVALID_VALUE, clGetPipeInfo(pipe_, CL_MEM_SIZE, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE, clGetPipeInfo(pipe_, CL_PIPE_PACKET_SIZE, 1, &value, nullptr),
         "param_value_size");
}

TEST_F(PipeErrors, Arguments) {
  Program program = build("kernel void k(write_only pipe int p, global int *b, "
                          "read_only image2d_t i) {}",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "k");
  cl_mem pipe = pipe_, other = other_buffer_, wrong = no_buffer(), null = nullptr;
  Memory made = make_buffer(64);
  cl_mem buffer = made;
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "a buffer");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof null, &null), "null");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof null, nullptr), "null");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof wrong, &wrong), "not point to");
  expect(CL_INVALID_CONTEXT, clSetKernelArg(kernel, 0, sizeof other, &other), "another context");
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &pipe), "arg_size");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 1, sizeof pipe, &pipe), "a pipe");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 2, sizeof pipe, &pipe), "a pipe");
  // None of these calls has set an argument.
  const size_t one = 1;
  expect(CL_INVALID_KERNEL_ARGS,
         clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
         "argument 0");
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof pipe, &pipe), CL_SUCCESS);
}

TEST_F(PipeErrors, PipesAreNoBuffersAndNoImages) {
  char bytes[64] = {};
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueReadBuffer(queue_, pipe_, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), "a pipe");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueWriteBuffer(queue_, pipe_, CL_TRUE, 0, 4, bytes, 0, nullptr, nullptr), "a pipe");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueFillBuffer(queue_, pipe_, bytes, 4, 0, 4, 0, nullptr, nullptr), "a pipe");
  Memory buffer = make_buffer(64);
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBuffer(queue_, pipe_, buffer, 0, 0, 4, 0, nullptr, nullptr), "a pipe");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBuffer(queue_, buffer, pipe_, 0, 0, 4, 0, nullptr, nullptr), "a pipe");
  expect_null(
      CL_INVALID_MEM_OBJECT,
      [&](cl_int *status) {
        return clEnqueueMapBuffer(queue_, pipe_, CL_TRUE, CL_MAP_READ, 0, 4, 0, nullptr, nullptr,
                                  status);
      },
      "a pipe");
  const cl_buffer_region region{0, 4};
  expect_null(CL_INVALID_MEM_OBJECT, [&](cl_int *status) {
    return clCreateSubBuffer(pipe_, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, status);
  });
  const size_t origin[3] = {}, one[3] = {1, 1, 1};
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueReadImage(queue_, pipe_, CL_TRUE, origin, one, 0, 0, bytes, 0, nullptr, nullptr),
         "a pipe");
  EXPECT_EQ(clGetImageInfo(pipe_, CL_IMAGE_WIDTH, sizeof bytes, bytes, nullptr),
            CL_INVALID_MEM_OBJECT);
  const cl_image_format format{CL_R, CL_UNSIGNED_INT8};
  for (cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D}) {
    cl_image_desc desc{};
    desc.image_type = type;
    desc.image_width = desc.image_height = 1;
    desc.mem_object = pipe_;
    expect_null(
        CL_INVALID_IMAGE_DESCRIPTOR,
        [&](cl_int *status) { return clCreateImage(context_, 0, &format, &desc, nullptr, status); },
        "a pipe");
  }
}

} // namespace
