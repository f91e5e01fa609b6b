// What a device without images, samplers, pipes, SVM, device queues and OpenGL sharing answers
// (OpenCL 3.0 API appendix H): the code says that the feature is missing, and the queries agree.
#include "error_fixture.h"

#include <CL/cl_gl.h>

using namespace lockstep::test;

namespace {

class AbsentFeatures : public ErrorTest {
protected:
  const cl_image_format format_ = {CL_RGBA, CL_UNORM_INT8};
  const size_t origin_[3] = {0, 0, 0}, region_[3] = {1, 1, 1};
};

TEST_F(AbsentFeatures, QueriesSaySo) {
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), CL_FALSE);
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_PIPE_SUPPORT), CL_FALSE);
  EXPECT_EQ(
      device_info<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES),
      0u);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_ON_DEVICE_QUEUES), 0u);
  EXPECT_EQ(device_info<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS), 0u);
  EXPECT_EQ(device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH), 0u);
}

TEST_F(AbsentFeatures, CreateImages) {
  cl_image_desc description = {};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 16;
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateImage(no_context(), CL_MEM_READ_WRITE, &format_, &description, nullptr, status);
  });
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreateImage(context_, CL_MEM_READ_WRITE, &format_, &description, nullptr, status);
      },
      "images");
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreateImageWithProperties(context_, nullptr, CL_MEM_READ_WRITE, &format_,
                                           &description, nullptr, status);
      },
      "images");
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreateImage2D(context_, CL_MEM_READ_WRITE, &format_, 16, 16, 0, nullptr, status);
      },
      "images");
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreateImage3D(context_, CL_MEM_READ_WRITE, &format_, 16, 16, 16, 0, 0, nullptr,
                               status);
      },
      "images");
}

TEST_F(AbsentFeatures, ImageFormats) {
  cl_uint count = 7;
  cl_image_format format;
  EXPECT_EQ(clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0,
                                       nullptr, &count),
            CL_SUCCESS);
  EXPECT_EQ(count, 0u);
  expect(CL_INVALID_CONTEXT, clGetSupportedImageFormats(no_context(), CL_MEM_READ_WRITE,
                                                        CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
  expect(CL_INVALID_VALUE,
         clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                    CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
         "flags");
  expect(CL_INVALID_VALUE,
         clGetSupportedImageFormats(context_, cl_mem_flags{1} << 40, CL_MEM_OBJECT_IMAGE2D, 0,
                                    nullptr, &count),
         "flags");
  expect(CL_INVALID_VALUE,
         clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_BUFFER, 0, nullptr,
                                    &count),
         "image_type");
  expect(CL_INVALID_VALUE,
         clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, &format,
                                    &count),
         "num_entries");
}

TEST_F(AbsentFeatures, ImageCommands) {
  Memory buffer = make_buffer(1024);
  float colour[4] = {};
  char bytes[64];
  cl_command_queue queue = queue_;
  cl_mem memory = buffer;
  const char *word = "images";
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(no_queue(), memory, CL_TRUE, origin_, region_,
                                                      0, 0, bytes, 0, nullptr, nullptr));
  expect(CL_INVALID_OPERATION,
         clEnqueueReadImage(queue, memory, CL_TRUE, origin_, region_, 0, 0, bytes, 0, nullptr,
                            nullptr),
         word);
  expect(CL_INVALID_OPERATION,
         clEnqueueWriteImage(queue, memory, CL_TRUE, origin_, region_, 0, 0, bytes, 0, nullptr,
                             nullptr),
         word);
  expect(CL_INVALID_OPERATION,
         clEnqueueFillImage(queue, memory, colour, origin_, region_, 0, nullptr, nullptr), word);
  expect(CL_INVALID_OPERATION,
         clEnqueueCopyImage(queue, memory, memory, origin_, origin_, region_, 0, nullptr, nullptr),
         word);
  expect(
      CL_INVALID_OPERATION,
      clEnqueueCopyImageToBuffer(queue, memory, memory, origin_, region_, 0, 0, nullptr, nullptr),
      word);
  expect(
      CL_INVALID_OPERATION,
      clEnqueueCopyBufferToImage(queue, memory, memory, 0, origin_, region_, 0, nullptr, nullptr),
      word);
  size_t pitch = 0;
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clEnqueueMapImage(queue, memory, CL_TRUE, CL_MAP_READ, origin_, region_, &pitch,
                                 nullptr, 0, nullptr, nullptr, status);
      },
      word);
  EXPECT_EQ(clGetImageInfo(memory, CL_IMAGE_FORMAT, sizeof bytes, bytes, nullptr),
            CL_INVALID_MEM_OBJECT);
}

TEST_F(AbsentFeatures, SamplersAndPipes) {
  const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, 0};
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreateSampler(context_, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, status);
      },
      "images");
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) { return clCreateSamplerWithProperties(context_, properties, status); },
      "images");
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateSamplerWithProperties(no_context(), properties, status);
  });
  auto sampler = reinterpret_cast<cl_sampler>(context_.get());
  char bytes[64];
  EXPECT_EQ(clRetainSampler(sampler), CL_INVALID_SAMPLER);
  EXPECT_EQ(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_CONTEXT, sizeof bytes, bytes, nullptr),
            CL_INVALID_SAMPLER);
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clCreatePipe(context_, CL_MEM_READ_WRITE, 4, 4, nullptr, status);
      },
      "pipes");
  Memory buffer = make_buffer(64);
  EXPECT_EQ(clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof bytes, bytes, nullptr),
            CL_INVALID_MEM_OBJECT);
}

TEST_F(AbsentFeatures, OpenGL) {
  Memory buffer = make_buffer(64);
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) { return clCreateFromGLBuffer(context_, CL_MEM_READ_WRITE, 1, status); },
      "OpenGL");
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) {
        return clCreateFromGLTexture(context_, CL_MEM_READ_WRITE, 0, 0, 1, status);
      },
      "OpenGL");
  expect_null(
      CL_INVALID_CONTEXT,
      [&](cl_int *status) {
        return clCreateFromGLRenderbuffer(context_, CL_MEM_READ_WRITE, 1, status);
      },
      "OpenGL");
  expect(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(buffer, nullptr, nullptr), "OpenGL");
  expect(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(buffer, 0, 0, nullptr, nullptr), "OpenGL");
  expect(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(no_buffer(), nullptr, nullptr));
  cl_mem memory = buffer;
  expect(CL_INVALID_CONTEXT, clEnqueueAcquireGLObjects(queue_, 1, &memory, 0, nullptr, nullptr),
         "OpenGL");
  expect(CL_INVALID_CONTEXT, clEnqueueReleaseGLObjects(queue_, 1, &memory, 0, nullptr, nullptr),
         "OpenGL");
}

} // namespace
