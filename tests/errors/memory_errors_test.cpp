// Tests every error of the memory object functions (OpenCL 3.0 API sections 5.2.1, 5.5.1, 5.5.5).
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

class MemoryErrors : public ErrorTest {
protected:
  void expect_create(cl_int code, cl_mem_flags flags, size_t size, void *host,
                     const std::string &word) {
    expect_null(
        code, [&](cl_int *status) { return clCreateBuffer(context_, flags, size, host, status); },
        word);
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateBufferWithProperties(context_, nullptr, flags, size, host, status);
        },
        word);
  }
  void expect_sub(cl_int code, cl_mem buffer, cl_mem_flags flags, size_t origin, size_t size,
                  const std::string &word) {
    const cl_buffer_region region{origin, size};
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, status);
        },
        word);
  }
  char host_[4096] = {};
};

TEST_F(MemoryErrors, CreateBufferContext) {
  expect_null(CL_INVALID_CONTEXT,
              [&](cl_int *status) { return clCreateBuffer(no_context(), 0, 16, nullptr, status); });
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateBufferWithProperties(no_context(), nullptr, 0, 16, nullptr, status);
  });
}

TEST_F(MemoryErrors, CreateBufferFlags) {
  const cl_mem_flags wrong[] = {
      CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
      CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
      CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
      CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
      CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
      CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
      CL_MEM_KERNEL_READ_AND_WRITE,
      cl_mem_flags{1} << 40,
  };
  for (cl_mem_flags flags : wrong)
    expect_create(CL_INVALID_VALUE, flags, 16, nullptr, "flags");
  expect_create(CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, host_,
                "CL_MEM_USE_HOST_PTR");
  expect_create(CL_INVALID_VALUE, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, host_,
                "CL_MEM_ALLOC_HOST_PTR");
}

TEST_F(MemoryErrors, CreateBufferSize) {
  expect_create(CL_INVALID_BUFFER_SIZE, CL_MEM_READ_WRITE, 0, nullptr, "size is 0");
  size_t limit = device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  expect_create(CL_INVALID_BUFFER_SIZE, CL_MEM_READ_WRITE, limit + 1, nullptr,
                "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
  expect_create(CL_INVALID_BUFFER_SIZE, CL_MEM_READ_WRITE, ~size_t{0}, nullptr,
                "CL_DEVICE_MAX_MEM_ALLOC_SIZE");
}

TEST_F(MemoryErrors, CreateBufferHostPointer) {
  expect_create(CL_INVALID_HOST_PTR, CL_MEM_USE_HOST_PTR, 16, nullptr, "host_ptr is null");
  expect_create(CL_INVALID_HOST_PTR, CL_MEM_COPY_HOST_PTR, 16, nullptr, "host_ptr is null");
  expect_create(CL_INVALID_HOST_PTR, CL_MEM_READ_WRITE, 16, host_, "host_ptr is not null");
  expect_create(CL_INVALID_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, 16, host_, "host_ptr is not null");
}

TEST_F(MemoryErrors, CreateBufferProperties) {
  const cl_mem_properties wrong[] = {0x4711, 1, 0};
  expect_null(
      CL_INVALID_PROPERTY,
      [&](cl_int *status) {
        return clCreateBufferWithProperties(context_, wrong, 0, 16, nullptr, status);
      },
      "properties");
}

// Each buffer is within the limit, but together they exceed the device's memory.
TEST_F(MemoryErrors, MemoryRunsOut) {
  size_t each = device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  size_t all = device_info<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  std::vector<Memory> buffers;
  cl_int status = CL_SUCCESS;
  for (size_t i = 0; i <= all / each && status == CL_SUCCESS; ++i)
    buffers.emplace_back(clCreateBuffer(context_, CL_MEM_READ_WRITE, each, nullptr, &status));
  expect(CL_MEM_OBJECT_ALLOCATION_FAILURE, status, "section 5.2.1");
  buffers.clear();
  make_buffer(each);
}

TEST_F(MemoryErrors, SubBufferParent) {
  Memory buffer = make_buffer(4096);
  Memory sub = make_sub_buffer(buffer, 0, 256);
  expect_sub(CL_INVALID_MEM_OBJECT, sub, 0, 0, 16, "sub-buffer");
  expect_sub(CL_INVALID_MEM_OBJECT, no_buffer(), 0, 0, 16, "");
}

TEST_F(MemoryErrors, SubBufferFlags) {
  struct {
    cl_mem_flags parent, child;
  } const wrong[] = {
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
      {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
      {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
      {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
      {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
      {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
      {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
      {CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR},
      {CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR},
      {CL_MEM_READ_WRITE, CL_MEM_COPY_HOST_PTR},
      {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
      {CL_MEM_READ_WRITE, cl_mem_flags{1} << 40},
  };
  for (const auto &row : wrong) {
    Memory buffer = make_buffer(4096, row.parent);
    expect_sub(CL_INVALID_VALUE, buffer, row.child, 0, 16, "flags");
  }
}

TEST_F(MemoryErrors, SubBufferRegion) {
  Memory buffer = make_buffer(4096);
  const cl_buffer_region region{0, 16};
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) { return clCreateSubBuffer(buffer, 0, 0x4711, &region, status); },
      "buffer_create_type");
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, status);
      },
      "buffer_create_info");
  expect_sub(CL_INVALID_VALUE, buffer, 0, 0, 4097, "region");
  expect_sub(CL_INVALID_VALUE, buffer, 0, 4096, 1, "region");
  expect_sub(CL_INVALID_VALUE, buffer, 0, 2048, ~size_t{0}, "region");
  expect_sub(CL_INVALID_VALUE, buffer, 0, ~size_t{0}, 2, "region");
  expect_sub(CL_INVALID_BUFFER_SIZE, buffer, 0, 0, 0, "size of the region");
  expect_sub(CL_MISALIGNED_SUB_BUFFER_OFFSET, buffer, 0, 1, 16, "origin");
}

TEST_F(MemoryErrors, StaleAndForeignHandles) {
  Memory buffer = make_buffer(16);
  cl_mem stale = buffer;
  buffer.reset();
  for (cl_mem wrong : {stale, no_buffer()}) {
    expect(CL_INVALID_MEM_OBJECT, clRetainMemObject(wrong));
    expect(CL_INVALID_MEM_OBJECT, clReleaseMemObject(wrong));
    expect(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(wrong, CL_MEM_SIZE, 0, nullptr, nullptr));
    expect(CL_INVALID_MEM_OBJECT,
           clSetMemObjectDestructorCallback(wrong, [](cl_mem, void *) {}, nullptr));
  }
}

TEST_F(MemoryErrors, DestructorCallbackIsNull) {
  Memory buffer = make_buffer(16);
  expect(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, nullptr, nullptr),
         "pfn_notify");
}

TEST_F(MemoryErrors, Info) {
  Memory buffer = make_buffer(16);
  size_t value = 0;
  expect(CL_INVALID_VALUE, clGetMemObjectInfo(buffer, 0x4711, sizeof value, &value, nullptr),
         "param_name");
  expect(CL_INVALID_VALUE,
         clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof value - 1, &value, nullptr),
         "param_value_size");
}

TEST_F(MemoryErrors, SupportedImageFormats) {
  cl_uint count = 0;
  cl_image_format format;
  EXPECT_EQ(clGetSupportedImageFormats(no_context(), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                       nullptr, &count),
            CL_INVALID_CONTEXT);
  EXPECT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER, 0,
                                       nullptr, &count),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                       CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                       &format, &count),
            CL_INVALID_VALUE);
}

} // namespace
