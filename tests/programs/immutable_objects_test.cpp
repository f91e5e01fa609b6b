// Tests cl_ext_immutable_memory_objects: objects created with their contents and never written.
#include "../errors/error_fixture.h"

#include <CL/cl_ext.h>

#include <array>
#include <numeric>

using namespace lockstep::test;

namespace {

constexpr cl_mem_flags immutable = 1 << 6; // CL_MEM_IMMUTABLE_EXT

class ImmutableObjects : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    std::iota(data_.begin(), data_.end(), 0);
  }
  Memory buffer(cl_mem_flags flags = CL_MEM_COPY_HOST_PTR) {
    cl_int status = 1;
    Memory made(clCreateBuffer(context_, immutable | flags, size, data_.data(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }
  cl_mem make_image(cl_mem_flags flags, void *host, cl_int *status, cl_mem of = nullptr) {
    const cl_image_format format{CL_R, CL_SIGNED_INT32};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = desc.image_height = 8;
    desc.mem_object = of;
    return clCreateImage(context_, flags, &format, &desc, host, status);
  }
  Memory image() {
    cl_int status = 1;
    Memory made(make_image(immutable | CL_MEM_COPY_HOST_PTR, data_.data(), &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return made;
  }

  static constexpr size_t size = 64 * sizeof(int);
  std::array<int, 64> data_{};
};

TEST_F(ImmutableObjects, AreRead) {
  for (const cl_mem_flags flags : {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR}) {
    Memory made = buffer(flags);
    EXPECT_EQ(memory_info<cl_mem_flags>(made, CL_MEM_FLAGS) & immutable, immutable);
    EXPECT_EQ(read<int>(made, 64), std::vector<int>(data_.begin(), data_.end()));
    Memory part = make_sub_buffer(made, 128, 128);
    EXPECT_EQ(memory_info<cl_mem_flags>(part, CL_MEM_FLAGS) & immutable, immutable);
    EXPECT_EQ(read<int>(part, 1)[0], 32);
    Program program = build("kernel void sum(global const int *a, constant int *b, read_only "
                            "image2d_t c, global int *to) {"
                            "  const int i = get_global_id(0);"
                            "  to[i] = a[i] + b[i] + read_imagei(c, (int2)(i % 8, i / 8)).x; }");
    Kernel kernel = make_kernel(program, "sum");
    Memory picture = image(), result = make_buffer(size);
    const cl_mem arguments[] = {made, made, picture, result};
    for (cl_uint i = 0; i < 4; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    const size_t items = 64;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(read<int>(result, 64)[63], 3 * 63);
    EXPECT_EQ(clEnqueueCopyBuffer(queue_, made, result, 0, 0, size, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(read<int>(result, 64)[63], 63);
  }
  cl_uint count = 0;
  EXPECT_EQ(
      clGetSupportedImageFormats(context_, immutable, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
      CL_SUCCESS);
  EXPECT_GT(count, 0u);
}

TEST_F(ImmutableObjects, WrongCreation) {
  const auto create = [&](cl_mem_flags flags, void *host) {
    return [this, flags, host](cl_int *status) {
      return clCreateBuffer(context_, immutable | flags, size, host, status);
    };
  };
  const auto create_image = [&](cl_mem_flags flags, void *host, cl_mem of = nullptr) {
    return [this, flags, host, of](cl_int *status) { return make_image(flags, host, status, of); };
  };
  expect_null(CL_INVALID_VALUE, create(0, nullptr), "neither CL_MEM_USE_HOST_PTR");
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY}) {
    expect_null(CL_INVALID_VALUE, create(flags | CL_MEM_COPY_HOST_PTR, data_.data()),
                "exclude each other");
    expect_null(CL_INVALID_VALUE,
                create_image(immutable | flags | CL_MEM_COPY_HOST_PTR, data_.data()),
                "exclude each other");
  }
  expect_null(CL_INVALID_VALUE, create_image(immutable, nullptr), "neither CL_MEM_USE_HOST_PTR");
  Memory whole = buffer();
  expect_null(CL_INVALID_VALUE, create_image(CL_MEM_READ_ONLY, nullptr, whole), "flags lacks");
  cl_int status = 1;
  Memory of_buffer(make_image(immutable, nullptr, &status, whole));
  EXPECT_EQ(status, CL_SUCCESS);
  const cl_buffer_region region{0, 128};
  for (const cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY})
    expect_null(
        CL_INVALID_VALUE,
        [&](cl_int *code) {
          return clCreateSubBuffer(whole, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
        },
        "flags has");
}

TEST_F(ImmutableObjects, CannotBeWritten) {
  Memory fixed = buffer(), other = make_buffer(size), picture = image();
  cl_int status = 1;
  Memory changing(make_image(CL_MEM_READ_WRITE, nullptr, &status));
  const size_t zero[3] = {}, bytes[3] = {16, 4, 1}, box[3] = {8, 8, 1};
  const int value[4] = {};
  const auto refused = [&](cl_int code, const char *argument) {
    expect(CL_INVALID_OPERATION, code, std::string(argument) + " was created");
  };
#define NO_EVENTS 0, nullptr, nullptr
  refused(clEnqueueWriteBuffer(queue_, fixed, CL_TRUE, 0, 4, value, NO_EVENTS), "buffer");
  refused(clEnqueueWriteBufferRect(queue_, fixed, CL_TRUE, zero, zero, bytes, 0, 0, 0, 0,
                                   data_.data(), NO_EVENTS),
          "buffer");
  refused(clEnqueueFillBuffer(queue_, fixed, value, 4, 0, 4, NO_EVENTS), "buffer");
  refused(clEnqueueCopyBuffer(queue_, other, fixed, 0, 0, 4, NO_EVENTS), "dst_buffer");
  refused(clEnqueueCopyBufferRect(queue_, other, fixed, zero, zero, bytes, 0, 0, 0, 0, NO_EVENTS),
          "dst_buffer");
  refused(clEnqueueWriteImage(queue_, picture, CL_TRUE, zero, box, 0, 0, data_.data(), NO_EVENTS),
          "image");
  refused(clEnqueueFillImage(queue_, picture, value, zero, box, NO_EVENTS), "image");
  refused(clEnqueueCopyImage(queue_, changing, picture, zero, zero, box, NO_EVENTS), "dst_image");
  refused(clEnqueueCopyBufferToImage(queue_, other, picture, 0, zero, box, NO_EVENTS), "dst_image");
  refused(clEnqueueCopyImageToBuffer(queue_, changing, fixed, zero, box, 0, NO_EVENTS),
          "dst_buffer");
  for (const cl_map_flags flags : {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION}) {
    EXPECT_EQ(clEnqueueMapBuffer(queue_, fixed, CL_TRUE, flags, 0, 4, NO_EVENTS, &status), nullptr);
    refused(status, "buffer");
    size_t pitch = 0;
    EXPECT_EQ(clEnqueueMapImage(queue_, picture, CL_TRUE, flags, zero, box, &pitch, nullptr,
                                NO_EVENTS, &status),
              nullptr);
    refused(status, "image");
  }
}

TEST_F(ImmutableObjects, AreNoArgumentsToBeWritten) {
  Memory fixed = buffer(), picture = image();
  Program program = build("kernel void k(global int *a, write_only image2d_t b) { *a = 0; }");
  Kernel kernel = make_kernel(program, "k");
  cl_mem memory = fixed;
  expect(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof memory, &memory), "not const");
  memory = picture;
  expect(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 1, sizeof memory, &memory), "write_only");
}

} // namespace
