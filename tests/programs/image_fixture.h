// A fixture with helpers for images and samplers.
#pragma once

#include "image_model.h"
#include "opencl_fixture.h"

#include <random>

namespace lockstep::test {

using Sampler = Owned<cl_sampler, clReleaseSampler>;

class ImageTest : public DeviceTest {
protected:
  static cl_image_desc desc_of(cl_mem_object_type type, size_t width, size_t height = 0,
                               size_t depth = 0, size_t layers = 0) {
    cl_image_desc desc{};
    desc.image_type = type;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_array_size = layers;
    return desc;
  }

  Memory make_image(const cl_image_format &format, const cl_image_desc &desc,
                    cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr) {
    cl_int status = 1;
    Memory image(clCreateImage(context_, flags, &format, &desc, host, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return image;
  }

  Sampler make_sampler(const Sampling &sampling) {
    cl_int status = 1;
    Sampler sampler(clCreateSampler(context_, sampling.normalized, sampling.addressing,
                                    sampling.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                    &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return sampler;
  }

  std::vector<cl_image_format> formats_of(cl_mem_object_type type) {
    cl_uint count = 0;
    clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, type, 0, nullptr, &count);
    std::vector<cl_image_format> formats(count);
    clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE, type, count, formats.data(), nullptr);
    return formats;
  }

  std::vector<std::byte> random_bytes(size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::byte &byte : bytes)
      byte = std::byte(random_());
    return bytes;
  }

  // Sets the arguments, runs the kernel over this global size, and waits.
  template <class... Arguments>
  void run(cl_kernel kernel, std::vector<size_t> items, const Arguments &...arguments) {
    cl_uint index = 0;
    (set_argument(kernel, index++, arguments), ...);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, cl_uint(items.size()), nullptr, items.data(),
                                     nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }

  std::mt19937 random_{1};

private:
  static void set_argument(cl_kernel kernel, cl_uint index, const Memory &memory) {
    const cl_mem handle = memory;
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof handle, &handle), CL_SUCCESS);
  }
  static void set_argument(cl_kernel kernel, cl_uint index, const Sampler &sampler) {
    const cl_sampler handle = sampler;
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof handle, &handle), CL_SUCCESS);
  }
};

} // namespace lockstep::test
