// Images on the fake card: their descriptors, and their contents beside the CPU in one context. The
// card's launches get descriptors as parameters or in the card's memory. docs/nvidia.md explains
// which. Programs of tests/programs test what kernels read and write.
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/platform.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

namespace lockstep::opencl {
namespace {

using fake_cuda::controls;
using Texels = std::vector<cl_uint>;

const char *const source = R"(
  #pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
  kernel void add(read_only image2d_t from, write_only image2d_t to, uint one) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, at) + one);
  }
  kernel void twice(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(image, at, 3 * read_imageui(image, at));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    write_imageui(image, at, 5 + read_imageui(image, at));
  }
  kernel void level(read_only image2d_t from, sampler_t sampler, global uint *to, float lod) {
    to[get_global_id(0)] = read_imageui(from, sampler, (float2)(0.1f, 0.1f), lod).x;
  }
  kernel void sizes(read_only image2d_array_t image, global int *to) {
    to[0] = get_image_width(image);
    to[1] = get_image_height(image);
    to[2] = (int)get_image_array_size(image);
    to[3] = get_image_channel_order(image) == CLK_RGBA;
  })";

constexpr size_t width = 5, height = 3;
constexpr cl_image_format one_number = {CL_R, CL_UNSIGNED_INT32};

class NvidiaImages : public testing::Test {
protected:
  NvidiaImages() {
    fake_cuda::repair();
    static const cl_device_id devices[] = {
        create_object<_cl_device_id>(the_platform(), test::fake_device()), the_platform()->first};
    cl_int status = 1;
    context_ = opencl::clCreateContext(nullptr, 2, devices, nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    for (int i : {0, 1})
      queues_[i] =
          opencl::clCreateCommandQueueWithProperties(context_, devices[i], nullptr, nullptr);
    program_ = opencl::clCreateProgramWithSource(context_, 1, const_cast<const char **>(&source),
                                                 nullptr, nullptr);
    EXPECT_EQ(opencl::clBuildProgram(program_, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr),
              CL_SUCCESS);
  }
  ~NvidiaImages() override {
    for (cl_command_queue queue : queues_) {
      EXPECT_EQ(opencl::clFinish(queue), CL_SUCCESS);
      EXPECT_EQ(opencl::clReleaseCommandQueue(queue), CL_SUCCESS);
    }
    for (cl_kernel kernel : kernels_)
      EXPECT_EQ(opencl::clReleaseKernel(kernel), CL_SUCCESS);
    for (cl_mem memory : memories_)
      EXPECT_EQ(opencl::clReleaseMemObject(memory), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseProgram(program_), CL_SUCCESS);
    EXPECT_EQ(opencl::clReleaseContext(context_), CL_SUCCESS);
  }

  cl_mem keep(cl_mem memory, cl_int status) {
    EXPECT_EQ(status, CL_SUCCESS);
    memories_.push_back(memory);
    return memory;
  }
  cl_mem make_image(const Texels &texels, cl_mem of_buffer = nullptr, size_t row_pitch = 0) {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    desc.mem_object = of_buffer;
    cl_int status = 1;
    cl_mem image =
        opencl::clCreateImage(context_, texels.empty() ? 0 : CL_MEM_COPY_HOST_PTR, &one_number,
                              &desc, const_cast<cl_uint *>(texels.data()), &status);
    return keep(image, status);
  }
  template <class... Arguments> void launch(int place, const char *name, Arguments... arguments) {
    kernels_.push_back(opencl::clCreateKernel(program_, name, nullptr));
    cl_uint index = 0;
    const auto set = [&](const auto &value) {
      EXPECT_EQ(opencl::clSetKernelArg(kernels_.back(), index++, sizeof value, &value), CL_SUCCESS);
    };
    (set(arguments), ...);
    const size_t items[] = {width, height};
    ASSERT_EQ(opencl::clEnqueueNDRangeKernel(queues_[place], kernels_.back(), 2, nullptr, items,
                                             nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(opencl::clFinish(queues_[place]), CL_SUCCESS);
  }
  Texels read(int place, cl_mem image) {
    Texels texels(width * height);
    const size_t origin[3] = {}, region[] = {width, height, 1};
    EXPECT_EQ(opencl::clEnqueueReadImage(queues_[place], image, CL_TRUE, origin, region, 0, 0,
                                         texels.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return texels;
  }

  enum { card, cpu };
  cl_context context_ = nullptr;
  cl_command_queue queues_[2]{};
  cl_program program_ = nullptr;
  std::vector<cl_kernel> kernels_;
  std::vector<cl_mem> memories_;
};

Texels numbers(cl_uint first) {
  Texels texels(width * height);
  std::iota(texels.begin(), texels.end(), first);
  return texels;
}

TEST_F(NvidiaImages, MoveBetweenCardAndCpu) {
  cl_mem one = make_image(numbers(7)), other = make_image(numbers(1000));
  for (int i = 0; i < 3; ++i) {
    launch(card, "add", one, other, cl_uint{10});
    launch(cpu, "add", other, one, cl_uint{100});
  }
  launch(card, "twice", one);
  Texels expected = numbers(7 + 330);
  for (cl_uint &texel : expected)
    texel = 3 * texel + 5;
  EXPECT_EQ(read(card, one), expected);
  EXPECT_EQ(read(cpu, one), expected);
  EXPECT_EQ(read(cpu, other), numbers(7 + 230));
}

TEST_F(NvidiaImages, TransfersOfBoxesSeeWhatTheCardHasWritten) {
  cl_mem from = make_image(numbers(0)), to = make_image(numbers(50));
  launch(card, "add", from, to, cl_uint{1});
  // Columns 1 to 3 of rows 1 and 2, with a pitch of seven numbers in the program's memory.
  const size_t origin[] = {1, 1, 0}, region[] = {3, 2, 1};
  Texels box(14, 99u);
  ASSERT_EQ(opencl::clEnqueueReadImage(queues_[card], to, CL_TRUE, origin, region,
                                       7 * sizeof(cl_uint), 0, box.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(box, (Texels{7, 8, 9, 99, 99, 99, 99, 12, 13, 14, 99, 99, 99, 99}));
  // A box that the host writes, one that is filled, and one that the card copies.
  const Texels given = {201, 202, 203, 0, 0, 0, 0, 204, 205, 206};
  ASSERT_EQ(opencl::clEnqueueWriteImage(queues_[card], from, CL_TRUE, origin, region,
                                        7 * sizeof(cl_uint), 0, given.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  const cl_uint color[4] = {300};
  const size_t corner[3] = {}, two[] = {2, 1, 1}, last[] = {3, 0, 0};
  ASSERT_EQ(
      opencl::clEnqueueFillImage(queues_[card], from, color, corner, two, 0, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(
      opencl::clEnqueueCopyImage(queues_[card], from, from, corner, last, two, 0, nullptr, nullptr),
      CL_SUCCESS);
  launch(card, "add", from, to, cl_uint{1});
  EXPECT_EQ(read(card, to),
            (Texels{301, 301, 3, 301, 301, 6, 202, 203, 204, 10, 11, 205, 206, 207, 15}));
}

TEST_F(NvidiaImages, MapsShowWhatTheCardHasWritten) {
  cl_mem from = make_image(numbers(20)), to = make_image({});
  launch(card, "add", from, to, cl_uint{2});
  const size_t origin[] = {2, 1, 0}, region[] = {1, 2, 1};
  size_t pitch = 0;
  cl_int status = 1;
  auto *texel = static_cast<cl_uint *>(
      opencl::clEnqueueMapImage(queues_[card], to, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                region, &pitch, nullptr, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(texel[0], 29u);
  EXPECT_EQ(texel[pitch / sizeof(cl_uint)], 34u);
  texel[0] = 1000;
  ASSERT_EQ(opencl::clEnqueueUnmapMemObject(queues_[card], to, texel, 0, nullptr, nullptr),
            CL_SUCCESS);
  launch(card, "add", to, from, cl_uint{0});
  Texels expected = numbers(22);
  expected[width + 2] = 1000;
  EXPECT_EQ(read(card, from), expected);
}

TEST_F(NvidiaImages, OfABufferAreItsBytes) {
  constexpr size_t pitch = 8, first = 64; // numbers; the image begins inside of the buffer
  Texels values(first + pitch * height);
  std::iota(values.begin(), values.end(), 0u);
  cl_int status = 1;
  cl_mem buffer = opencl::clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR,
                                         values.size() * sizeof(cl_uint), values.data(), &status);
  keep(buffer, status);
  const cl_buffer_region region{first * sizeof(cl_uint), pitch * height * sizeof(cl_uint)};
  cl_mem part =
      opencl::clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  keep(part, status);
  cl_mem image = make_image({}, part, pitch * sizeof(cl_uint));
  launch(card, "twice", image);
  Texels seen(values.size());
  ASSERT_EQ(opencl::clEnqueueReadBuffer(queues_[card], buffer, CL_TRUE, 0,
                                        seen.size() * sizeof(cl_uint), seen.data(), 0, nullptr,
                                        nullptr),
            CL_SUCCESS);
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) {
      cl_uint &texel = values[first + y * pitch + x];
      texel = 3 * texel + 5;
    }
  EXPECT_EQ(seen, values);
}

TEST_F(NvidiaImages, TellTheirSizes) {
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY;
  desc.image_width = 6;
  desc.image_height = 4;
  desc.image_array_size = 9;
  const cl_image_format format = {CL_RGBA, CL_HALF_FLOAT};
  cl_int status = 1;
  cl_mem image = opencl::clCreateImage(context_, 0, &format, &desc, nullptr, &status);
  keep(image, status);
  cl_mem to = opencl::clCreateBuffer(context_, 0, 4 * sizeof(cl_int), nullptr, &status);
  keep(to, status);
  launch(card, "sizes", image, to);
  std::array<cl_int, 4> seen{};
  ASSERT_EQ(opencl::clEnqueueReadBuffer(queues_[card], to, CL_TRUE, 0, sizeof seen, seen.data(), 0,
                                        nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(seen, (std::array<cl_int, 4>{6, 4, 9, 1}));
}

// Code that chooses a level finds the descriptors of all levels in the card's memory. Launches share
// a copy of them. There are more images here than a program keeps descriptors.
TEST_F(NvidiaImages, LevelsHaveDescriptorsOnTheCard) {
  cl_int status = 1;
  cl_mem to = opencl::clCreateBuffer(context_, 0, width * sizeof(cl_uint), nullptr, &status);
  keep(to, status);
  const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                              CL_TRUE,
                                              CL_SAMPLER_FILTER_MODE,
                                              CL_FILTER_NEAREST,
                                              CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                              CL_FILTER_NEAREST,
                                              0};
  cl_sampler sampler = opencl::clCreateSamplerWithProperties(context_, properties, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const auto level = [&](cl_mem image, float lod) {
    launch(card, "level", image, sampler, to, lod);
    cl_uint texel = 0;
    EXPECT_EQ(opencl::clEnqueueReadBuffer(queues_[card], to, CL_TRUE, 0, sizeof texel, &texel, 0,
                                          nullptr, nullptr),
              CL_SUCCESS);
    return texel;
  };
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = 4;
  desc.image_height = 2;
  desc.num_mip_levels = 3;
  for (cl_uint i = 0; i < 70; ++i) {
    cl_mem image = opencl::clCreateImage(context_, 0, &one_number, &desc, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    for (size_t l = 0; l < 3; ++l) {
      const size_t origin[] = {0, 0, l}, region[] = {size_t{4} >> l, l == 0 ? size_t{2} : 1, 1};
      const cl_uint color[4] = {1000 * i + cl_uint(l)};
      ASSERT_EQ(opencl::clEnqueueFillImage(queues_[cpu], image, color, origin, region, 0, nullptr,
                                           nullptr),
                CL_SUCCESS);
    }
    ASSERT_EQ(opencl::clFinish(queues_[cpu]), CL_SUCCESS);
    ASSERT_EQ(level(image, 1), 1000 * i + 1);
    if (i == 0) {
      const size_t before = controls().allocations;
      EXPECT_EQ(level(image, 0), 0u);
      EXPECT_EQ(level(image, 2), 2u);
      EXPECT_EQ(controls().allocations, before);
    }
    keep(image, CL_SUCCESS);
  }
  EXPECT_EQ(opencl::clReleaseSampler(sampler), CL_SUCCESS);
}

} // namespace
} // namespace lockstep::opencl
