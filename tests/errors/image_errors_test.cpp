// Tests images and samplers with one invalid argument each: creation, queries and kernel arguments
// (OpenCL 3.0 API sections 5.3, 5.7 and 5.9.2).
#include "../programs/extension_functions.h"
#include "error_fixture.h"

#include <cstdint>

#include <bit>
#include <cmath>

using namespace lockstep::test;

namespace {

class ImageErrors : public ErrorTest {
protected:
  static cl_image_desc plane(size_t width = 16, size_t height = 16) {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    return desc;
  }

  void refuses(cl_int code, const char *word, const cl_image_desc &desc, cl_mem_flags flags = 0,
               void *host = nullptr, cl_image_format format = {CL_RGBA, CL_UNORM_INT8}) {
    expect_null(
        code,
        [&](cl_int *status) {
          return clCreateImage(context_, flags, &format, &desc, host, status);
        },
        word);
  }

  Memory make(const cl_image_desc &desc, cl_mem_flags flags = 0,
              cl_image_format format = {CL_RGBA, CL_UNORM_INT8}) {
    cl_int status = 1;
    Memory image(clCreateImage(context_, flags, &format, &desc, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return image;
  }

  const cl_image_format format_ = {CL_RGBA, CL_UNORM_INT8};
};

TEST_F(ImageErrors, Context) {
  const cl_image_desc desc = plane();
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateImage(no_context(), 0, &format_, &desc, nullptr, status);
  });
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateImageWithProperties(no_context(), nullptr, 0, &format_, &desc, nullptr, status);
  });
  const cl_mem_properties properties[] = {0x1234, 0, 0};
  expect_null(
      CL_INVALID_PROPERTY,
      [&](cl_int *status) {
        return clCreateImageWithProperties(context_, properties, 0, &format_, &desc, nullptr,
                                           status);
      },
      "properties");
}

TEST_F(ImageErrors, Flags) {
  char bytes[16 * 16 * 4];
  refuses(CL_INVALID_VALUE, "CL_MEM_WRITE_ONLY", plane(), CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY);
  refuses(CL_INVALID_VALUE, "flags", plane(), cl_mem_flags{1} << 40);
  refuses(CL_INVALID_HOST_PTR, "host_ptr", plane(), CL_MEM_USE_HOST_PTR);
  refuses(CL_INVALID_HOST_PTR, "host_ptr", plane(), CL_MEM_COPY_HOST_PTR);
  refuses(CL_INVALID_HOST_PTR, "host_ptr", plane(), 0, bytes);
}

TEST_F(ImageErrors, Format) {
  const cl_image_desc desc = plane();
  expect_null(
      CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
      [&](cl_int *status) { return clCreateImage(context_, 0, nullptr, &desc, nullptr, status); },
      "image_format");
  const cl_image_format invalid[] = {
      {0x1234, CL_FLOAT},      {CL_RGBA, 0x1234},        {CL_RGBA, CL_UNORM_SHORT_565},
      {CL_RGB, CL_UNORM_INT8}, {CL_BGRA, CL_FLOAT},      {CL_LUMINANCE, CL_SIGNED_INT8},
      {CL_sRGBA, CL_FLOAT},    {CL_DEPTH, CL_UNORM_INT8}};
  for (const cl_image_format &format : invalid)
    refuses(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "channel", desc, 0, nullptr, format);
  refuses(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no device", desc, 0, nullptr,
          {CL_DEPTH_STENCIL, CL_FLOAT});
  cl_image_desc volume = desc;
  volume.image_type = CL_MEM_OBJECT_IMAGE3D;
  volume.image_depth = 2;
  refuses(CL_IMAGE_FORMAT_NOT_SUPPORTED, "no device", volume, 0, nullptr, {CL_DEPTH, CL_FLOAT});
}

TEST_F(ImageErrors, Descriptor) {
  expect_null(
      CL_INVALID_IMAGE_DESCRIPTOR,
      [&](cl_int *status) {
        return clCreateImage(context_, 0, &format_, nullptr, nullptr, status);
      },
      "image_desc");
  char bytes[16 * 16 * 8];
  cl_image_desc desc = plane();
  desc.image_type = CL_MEM_OBJECT_BUFFER;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "image_type", desc);
  desc = plane();
  desc.num_samples = 1;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "num_samples", desc);
  desc = plane();
  desc.image_row_pitch = 128; // a pitch without memory of the host
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch", desc);
  for (size_t pitch : {size_t{63}, size_t{66}}) {
    desc.image_row_pitch = pitch;
    refuses(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch", desc, CL_MEM_USE_HOST_PTR, bytes);
  }
  cl_image_desc volume = plane(4, 4);
  volume.image_type = CL_MEM_OBJECT_IMAGE3D;
  volume.image_depth = 2;
  for (size_t pitch : {size_t{48}, size_t{72}}) {
    volume.image_slice_pitch = pitch;
    refuses(CL_INVALID_IMAGE_DESCRIPTOR, "image_slice_pitch", volume, CL_MEM_USE_HOST_PTR, bytes);
  }
}

TEST_F(ImageErrors, Levels) {
  char bytes[16 * 16 * 4] = {};
  cl_image_desc desc = plane(16, 5);
  desc.num_mip_levels = 6; // size 16 has levels of 16, 8, 4, 2 and 1
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "num_mip_levels", desc);
  desc.num_mip_levels = 2;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "host memory", desc, CL_MEM_USE_HOST_PTR, bytes);
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "host memory", desc, CL_MEM_COPY_HOST_PTR, bytes);
  cl_int status = 1;
  Memory mipmapped(clCreateImage(context_, 0, &format_, &desc, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  cl_image_desc same = plane(16, 5);
  same.mem_object = mipmapped;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "mipmapped", same);
  Memory buffer = make_buffer(4096);
  desc.mem_object = buffer;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "memory object", desc);
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "1D image of a buffer", desc);
  // Mip levels do not halve the number of layers, but they halve the depth.
  desc = plane(1, 1);
  desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
  desc.image_array_size = 8;
  desc.num_mip_levels = 2;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "num_mip_levels", desc);
  desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  desc.image_depth = 8;
  desc.num_mip_levels = 4;
  Memory volume(clCreateImage(context_, 0, &format_, &desc, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
}

TEST_F(ImageErrors, Sizes) {
  const size_t most = device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  refuses(CL_INVALID_IMAGE_SIZE, "image_width", plane(0, 4));
  refuses(CL_INVALID_IMAGE_SIZE, "image_height", plane(4, 0));
  refuses(CL_INVALID_IMAGE_SIZE, "image_width", plane(most + 1, 1));
  cl_image_desc desc = plane(4, 4);
  desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  refuses(CL_INVALID_IMAGE_SIZE, "image_depth", desc);
  desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
  refuses(CL_INVALID_IMAGE_SIZE, "image_array_size", desc);
  desc.image_array_size = device_info<size_t>(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE) + 1;
  refuses(CL_INVALID_IMAGE_SIZE, "image_array_size", desc);
  expect_null(
      CL_INVALID_IMAGE_SIZE,
      [&](cl_int *status) {
        return clCreateImage2D(context_, 0, &format_, 4, 0, 0, nullptr, status);
      },
      "image_height");
  expect_null(
      CL_INVALID_IMAGE_SIZE,
      [&](cl_int *status) {
        return clCreateImage3D(context_, 0, &format_, 4, 4, 0, 0, 0, nullptr, status);
      },
      "image_depth");
}

TEST_F(ImageErrors, ImagesOfOtherObjects) {
  Memory buffer = make_buffer(1024);
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = 256;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object", desc);
  desc.mem_object = other_buffer_;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object", desc);
  desc.mem_object = buffer;
  desc.image_width = 257;
  refuses(CL_INVALID_IMAGE_SIZE, "mem_object", desc);
  refuses(CL_INVALID_VALUE, "CL_MEM_COPY_HOST_PTR", desc, CL_MEM_COPY_HOST_PTR, &desc);
  cl_image_desc of_buffer = plane();
  of_buffer.mem_object = buffer;
  of_buffer.image_row_pitch = 66;
  refuses(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_row_pitch", of_buffer);
  of_buffer.image_row_pitch = 68;
  refuses(CL_INVALID_IMAGE_SIZE, "mem_object", of_buffer);
  for (const cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D}) {
    cl_image_desc volume = plane(8, 8);
    volume.image_type = type;
    volume.image_depth = volume.image_array_size = 4;
    volume.mem_object = buffer;
    volume.image_slice_pitch = 8 * 8 * 4 + 16;
    refuses(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_slice_pitch", volume);
    volume.image_slice_pitch = 8 * 8 * 4 + 32;
    refuses(CL_INVALID_IMAGE_SIZE, "mem_object", volume);
  }

  Memory readable = make_buffer(1024, CL_MEM_READ_ONLY);
  of_buffer.image_row_pitch = 0;
  of_buffer.mem_object = readable;
  refuses(CL_INVALID_VALUE, "CL_MEM_READ_ONLY", of_buffer, CL_MEM_WRITE_ONLY);

  Memory image = make(plane());
  cl_image_desc of_image = plane();
  of_image.mem_object = image;
  refuses(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format", of_image, 0, nullptr,
          {CL_BGRA, CL_UNORM_INT8});
  refuses(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format", of_image, 0, nullptr,
          {CL_RGBA, CL_SNORM_INT8});
  of_image.image_width = 8;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc", of_image, 0, nullptr,
          {CL_sRGBA, CL_UNORM_INT8});
  of_image = plane();
  of_image.mem_object = image;
  of_image.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  refuses(CL_INVALID_IMAGE_DESCRIPTOR, "an image", of_image);
}

// cl_ext_image_requirements_info
TEST_F(ImageErrors, Requirements) {
  const auto query = function<clGetImageRequirementsInfoEXT_fn>("clGetImageRequirementsInfoEXT");
  size_t value = 0;
  cl_image_desc desc = plane();
  const auto refuses_query = [&](cl_int code, const char *word, cl_uint name,
                                 const cl_image_desc *of, size_t size = sizeof(size_t),
                                 cl_mem_flags flags = CL_MEM_READ_WRITE) {
    expect(code, query(context_, nullptr, flags, &format_, of, name, size, &value, nullptr), word);
  };
  constexpr cl_uint pitch = CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT,
                    bytes = CL_IMAGE_REQUIREMENTS_SIZE_EXT;
  expect(CL_INVALID_CONTEXT,
         query(no_context(), nullptr, 0, &format_, &desc, pitch, sizeof value, &value, nullptr));
  const cl_mem_properties properties[] = {0x1234, 0, 0};
  expect(CL_INVALID_PROPERTY,
         query(context_, properties, 0, &format_, &desc, pitch, sizeof value, &value, nullptr),
         "properties");
  refuses_query(CL_INVALID_VALUE, "flags", pitch, &desc, sizeof value, cl_mem_flags{1} << 40);
  refuses_query(CL_INVALID_VALUE, "param_name", CL_IMAGE_FORMAT, &desc);
  refuses_query(CL_INVALID_VALUE, "param_value_size", pitch, &desc, sizeof value - 1);
  refuses_query(CL_INVALID_VALUE, "param_value_size", CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, &desc,
                sizeof(cl_uint) - 1);
  refuses_query(CL_INVALID_VALUE, "image_desc", bytes, nullptr);
  expect(CL_INVALID_VALUE,
         query(context_, nullptr, 0, nullptr, &desc, bytes, sizeof value, &value, nullptr),
         "image_format");
  const cl_image_format wrong{CL_INTENSITY, CL_UNORM_SHORT_555};
  expect(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
         query(context_, nullptr, 0, &wrong, nullptr, pitch, sizeof value, &value, nullptr),
         "channel");
  for (const cl_image_desc &broken : {plane(0, 4), plane(4, 0), plane(1 << 20, 4)})
    refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "image_", bytes, &broken);
  desc.image_row_pitch = 66;
  refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "image_row_pitch", bytes, &desc);
  desc = plane();
  desc.mem_object = other_buffer_;
  refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object", bytes, &desc);
  desc = plane();
  desc.num_mip_levels = 2;
  refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "num_mip_levels", bytes, &desc);
  desc = plane();
  desc.image_type = CL_MEM_OBJECT_BUFFER;
  refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "image_type", pitch, &desc);
  const std::pair<cl_uint, cl_mem_object_type> absent[] = {
      {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D},
      {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D_ARRAY},
      {CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT, CL_MEM_OBJECT_IMAGE1D_BUFFER},
      {CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, CL_MEM_OBJECT_IMAGE2D_ARRAY},
      {CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT, CL_MEM_OBJECT_IMAGE3D}};
  for (const auto &[name, type] : absent) {
    desc.image_type = type;
    refuses_query(CL_INVALID_IMAGE_DESCRIPTOR, "no such size", name, &desc);
  }
}

TEST_F(ImageErrors, SupportedFormats) {
  cl_image_format format;
  cl_uint count = 0;
  expect(CL_INVALID_CONTEXT, clGetSupportedImageFormats(no_context(), CL_MEM_READ_WRITE,
                                                        CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
  expect(CL_INVALID_VALUE,
         clGetSupportedImageFormats(context_, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY,
                                    CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
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

TEST_F(ImageErrors, Queries) {
  Memory buffer = make_buffer(64);
  Memory image = make(plane());
  cl_image_format format;
  expect(CL_INVALID_MEM_OBJECT,
         clGetImageInfo(buffer, CL_IMAGE_FORMAT, sizeof format, &format, nullptr));
  expect(CL_INVALID_VALUE, clGetImageInfo(image, CL_IMAGE_FORMAT, 4, &format, nullptr),
         "param_value_size");
  expect(CL_INVALID_VALUE, clGetImageInfo(image, 0x1234, sizeof format, &format, nullptr),
         "param_name");
  cl_buffer_region region{0, 64};
  expect_null(CL_INVALID_MEM_OBJECT, [&](cl_int *status) {
    return clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, status);
  });
}

TEST_F(ImageErrors, Samplers) {
  auto refused = [&](std::vector<cl_sampler_properties> list, const char *word) {
    list.push_back(0);
    expect_null(
        CL_INVALID_VALUE,
        [&](cl_int *status) {
          return clCreateSamplerWithProperties(context_, list.data(), status);
        },
        word);
  };
  refused({0x1234, 1}, "property");
  refused({CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR},
          "twice");
  refused({CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP}, "filter_mode");
  refused({CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR}, "addressing_mode");
  refused({CL_SAMPLER_NORMALIZED_COORDS, 7}, "normalized_coords");
  refused({CL_SAMPLER_MIP_FILTER_MODE, CL_ADDRESS_CLAMP}, "CL_SAMPLER_MIP_FILTER_MODE");
  refused({CL_SAMPLER_LOD_MIN, std::bit_cast<cl_uint>(2.0f), CL_SAMPLER_LOD_MAX,
           std::bit_cast<cl_uint>(1.0f)},
          "CL_SAMPLER_LOD_MIN");
  refused({CL_SAMPLER_LOD_MAX, std::bit_cast<cl_uint>(NAN)}, "CL_SAMPLER_LOD_MAX");
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clCreateSampler(context_, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, status);
      },
      "normalized");
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateSampler(no_context(), CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, status);
  });
  expect_null(CL_INVALID_CONTEXT, [&](cl_int *status) {
    return clCreateSamplerWithProperties(no_context(), nullptr, status);
  });
  auto none = reinterpret_cast<cl_sampler>(context_.get());
  char bytes[64];
  EXPECT_EQ(clRetainSampler(none), CL_INVALID_SAMPLER);
  EXPECT_EQ(clReleaseSampler(none), CL_INVALID_SAMPLER);
  EXPECT_EQ(clGetSamplerInfo(none, CL_SAMPLER_CONTEXT, sizeof bytes, bytes, nullptr),
            CL_INVALID_SAMPLER);
  cl_sampler sampler = clCreateSamplerWithProperties(context_, nullptr, nullptr);
  expect(CL_INVALID_VALUE, clGetSamplerInfo(sampler, 0x1234, sizeof bytes, bytes, nullptr),
         "param_name");
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
}

TEST_F(ImageErrors, KernelArguments) {
  Program program =
      build("kernel void k(read_only image2d_t in, write_only image2d_t out, read_write "
            "image2d_t both, sampler_t s, global int *p, read_only image2d_depth_t d) {"
            "  write_imagef(out, (int2)(0), read_imagef(in, s, (int2)(0)));"
            "  write_imagef(both, (int2)(0), (float4)(*p + read_imagef(d, (int2)(0)))); }",
            "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "k");
  Memory buffer = make_buffer(64), image = make(plane());
  Memory readable = make(plane(), CL_MEM_READ_ONLY), writable = make(plane(), CL_MEM_WRITE_ONLY);
  cl_image_desc line{};
  line.image_type = CL_MEM_OBJECT_IMAGE1D;
  line.image_width = 16;
  Memory row = make(line);
  auto set = [&](cl_uint index, cl_mem memory) {
    return clSetKernelArg(kernel, index, sizeof memory, &memory);
  };
  expect(CL_INVALID_MEM_OBJECT, set(0, buffer), "is an image");
  expect(CL_INVALID_MEM_OBJECT, set(4, image), "pointer");
  expect(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(cl_mem), nullptr), "null");
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &buffer), "arg_size");
  expect(CL_INVALID_ARG_VALUE, set(0, writable), "read_only");
  expect(CL_INVALID_ARG_VALUE, set(1, readable), "write_only");
  expect(CL_INVALID_ARG_VALUE, set(2, readable), "read_write");
  expect(CL_INVALID_ARG_VALUE, set(2, writable), "read_write");
  expect(CL_INVALID_ARG_VALUE, set(0, row), "another type");
  expect(CL_INVALID_ARG_VALUE, set(5, image), "another type");
  auto none = reinterpret_cast<cl_sampler>(context_.get());
  expect(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 3, sizeof none, &none), "sampler");
  expect(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 3, sizeof none, nullptr), "sampler");
  expect(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 3, 4, &none), "arg_size");
  cl_sampler other =
      clCreateSampler(other_context_, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr);
  expect(CL_INVALID_CONTEXT, clSetKernelArg(kernel, 3, sizeof other, &other), "context");
  EXPECT_EQ(clReleaseSampler(other), CL_SUCCESS);
  EXPECT_EQ(set(0, image), CL_SUCCESS);
  EXPECT_EQ(set(0, readable), CL_SUCCESS);
  EXPECT_EQ(set(1, writable), CL_SUCCESS);
}

} // namespace
