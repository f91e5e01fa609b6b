// Tests images as objects: queries, transfers between images, buffers and the host, maps, images
// created from buffers and from images, limits, and queries by kernels.
#include "image_fixture.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

using namespace lockstep::test;

namespace {

constexpr cl_image_format bytes_of_rgba = {CL_RGBA, CL_UNSIGNED_INT8};

struct Shape {
  cl_mem_object_type type;
  std::array<size_t, 3> extent; // as in origins
};
constexpr Shape shapes[] = {{CL_MEM_OBJECT_IMAGE1D, {13, 1, 1}},
                            {CL_MEM_OBJECT_IMAGE1D_ARRAY, {13, 5, 1}},
                            {CL_MEM_OBJECT_IMAGE2D, {13, 7, 1}},
                            {CL_MEM_OBJECT_IMAGE2D_ARRAY, {13, 7, 3}},
                            {CL_MEM_OBJECT_IMAGE3D, {13, 7, 4}}};

class ImageObjects : public ImageTest {
protected:
  static cl_image_desc desc_of_shape(const Shape &shape) {
    cl_image_desc desc = desc_of(shape.type, shape.extent[0]);
    if (shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
      desc.image_array_size = shape.extent[1];
    else if (shape.type != CL_MEM_OBJECT_IMAGE1D)
      desc.image_height = shape.extent[1];
    if (shape.type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
      desc.image_array_size = shape.extent[2];
    if (shape.type == CL_MEM_OBJECT_IMAGE3D)
      desc.image_depth = shape.extent[2];
    return desc;
  }

  template <class T> T image_info(cl_mem image, cl_image_info name) {
    T value{};
    size_t size = 0;
    EXPECT_EQ(clGetImageInfo(image, name, sizeof value, &value, &size), CL_SUCCESS);
    EXPECT_EQ(size, sizeof value);
    return value;
  }

  std::vector<uint32_t> counting(size_t count, uint32_t first = 0) {
    std::vector<uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }

  std::vector<uint32_t> content(cl_mem image, const std::array<size_t, 3> &extent) {
    std::vector<uint32_t> numbers(extent[0] * extent[1] * extent[2]);
    const size_t zero[3] = {0, 0, 0};
    EXPECT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, zero, extent.data(), 0, 0, numbers.data(),
                                 0, nullptr, nullptr),
              CL_SUCCESS);
    return numbers;
  }
};

size_t at(const std::array<size_t, 3> &extent, size_t x, size_t y, size_t z) {
  return (z * extent[1] + y) * extent[0] + x;
}

TEST_F(ImageObjects, TellWhatTheyAre) {
  for (const Shape &shape : shapes) {
    const cl_image_desc desc = desc_of_shape(shape);
    Memory image = make_image(bytes_of_rgba, desc);
    const bool slices = shape.type != CL_MEM_OBJECT_IMAGE1D && shape.type != CL_MEM_OBJECT_IMAGE2D;
    const size_t row = shape.extent[0] * 4;
    const size_t slice = shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? row : row * shape.extent[1];
    EXPECT_EQ(memory_info<cl_mem_object_type>(image, CL_MEM_TYPE), shape.type);
    EXPECT_EQ(memory_info<size_t>(image, CL_MEM_SIZE), row * shape.extent[1] * shape.extent[2]);
    EXPECT_EQ(memory_info<cl_mem_flags>(image, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_READ_WRITE});
    EXPECT_EQ(image_info<cl_image_format>(image, CL_IMAGE_FORMAT).image_channel_order, CL_RGBA);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_ELEMENT_SIZE), 4U);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_ROW_PITCH), row);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_SLICE_PITCH), slices ? slice : 0);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_WIDTH), desc.image_width);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_HEIGHT), desc.image_height);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_DEPTH), desc.image_depth);
    EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_ARRAY_SIZE), desc.image_array_size);
    EXPECT_EQ(image_info<cl_mem>(image, CL_IMAGE_BUFFER), nullptr);
    EXPECT_EQ(image_info<cl_uint>(image, CL_IMAGE_NUM_MIP_LEVELS), 0U);
    EXPECT_EQ(image_info<cl_uint>(image, CL_IMAGE_NUM_SAMPLES), 0U);
  }
}

TEST_F(ImageObjects, AreReadAndWrittenInBoxes) {
  for (const Shape &shape : shapes) {
    std::vector<uint32_t> expected = counting(shape.extent[0] * shape.extent[1] * shape.extent[2]);
    Memory image = make_image(bytes_of_rgba, desc_of_shape(shape),
                              CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, expected.data());
    EXPECT_EQ(content(image, shape.extent), expected);
    // A box that covers a part of each dimension, with its own pitches on the host.
    size_t origin[3], region[3];
    for (int d = 0; d < 3; ++d) {
      origin[d] = shape.extent[d] > 1 ? 1 : 0;
      region[d] = shape.extent[d] > 1 ? shape.extent[d] - 2 : 1;
    }
    const bool is_1d_array = shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const bool slices = is_1d_array || shape.extent[2] > 1;
    const size_t row = 80, slice = is_1d_array ? 96 : 80 * 9;
    const size_t host_row = is_1d_array ? slice : row; // bytes from one y to the next
    std::vector<uint32_t> host = counting(slice / 4 * 8, 1000);
    ASSERT_EQ(clEnqueueWriteImage(queue_, image, CL_TRUE, origin, region, row, slices ? slice : 0,
                                  host.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          expected[at(shape.extent, origin[0] + x, origin[1] + y, origin[2] + z)] =
              host[(z * slice + y * host_row) / 4 + x];
    EXPECT_EQ(content(image, shape.extent), expected) << shape.type;
    std::vector<uint32_t> back(host.size(), 7), wanted = back;
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, row, slices ? slice : 0,
                                 back.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          wanted[(z * slice + y * host_row) / 4 + x] = host[(z * slice + y * host_row) / 4 + x];
    EXPECT_EQ(back, wanted) << shape.type;
  }
}

// Copies between all pairs of image types, through a region that fits both.
TEST_F(ImageObjects, AreCopiedToEachOther) {
  for (const Shape &from : shapes)
    for (const Shape &to : shapes) {
      std::vector<uint32_t> source = counting(from.extent[0] * from.extent[1] * from.extent[2]);
      std::vector<uint32_t> target(to.extent[0] * to.extent[1] * to.extent[2], 99999);
      Memory image =
          make_image(bytes_of_rgba, desc_of_shape(from), CL_MEM_COPY_HOST_PTR, source.data());
      Memory other =
          make_image(bytes_of_rgba, desc_of_shape(to), CL_MEM_COPY_HOST_PTR, target.data());
      size_t from_origin[3], to_origin[3], region[3];
      for (int d = 0; d < 3; ++d) {
        from_origin[d] = from.extent[d] > 2 ? 2 : 0;
        to_origin[d] = to.extent[d] > 1 ? 1 : 0;
        region[d] = std::min(from.extent[d] - from_origin[d], to.extent[d] - to_origin[d]);
      }
      ASSERT_EQ(clEnqueueCopyImage(queue_, image, other, from_origin, to_origin, region, 0, nullptr,
                                   nullptr),
                CL_SUCCESS);
      for (size_t z = 0; z < region[2]; ++z)
        for (size_t y = 0; y < region[1]; ++y)
          for (size_t x = 0; x < region[0]; ++x)
            target[at(to.extent, to_origin[0] + x, to_origin[1] + y, to_origin[2] + z)] =
                source[at(from.extent, from_origin[0] + x, from_origin[1] + y, from_origin[2] + z)];
      EXPECT_EQ(content(other, to.extent), target) << from.type << " to " << to.type;
    }
}

TEST_F(ImageObjects, AreCopiedToBuffersAndBack) {
  for (const Shape &shape : shapes) {
    std::vector<uint32_t> expected = counting(shape.extent[0] * shape.extent[1] * shape.extent[2]);
    Memory image =
        make_image(bytes_of_rgba, desc_of_shape(shape), CL_MEM_COPY_HOST_PTR, expected.data());
    size_t origin[3], region[3];
    for (int d = 0; d < 3; ++d) {
      origin[d] = shape.extent[d] > 1 ? 1 : 0;
      region[d] = shape.extent[d] - origin[d];
    }
    const size_t count = region[0] * region[1] * region[2];
    Memory buffer = make_buffer((count + 3) * 4);
    ASSERT_EQ(
        clEnqueueCopyImageToBuffer(queue_, image, buffer, origin, region, 12, 0, nullptr, nullptr),
        CL_SUCCESS);
    const auto copied = read<uint32_t>(buffer, count, 12);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          ASSERT_EQ(copied[(z * region[1] + y) * region[0] + x],
                    expected[at(shape.extent, origin[0] + x, origin[1] + y, origin[2] + z)]);
    const std::vector<uint32_t> other = counting(count, 5000);
    write(buffer, other, 12);
    ASSERT_EQ(
        clEnqueueCopyBufferToImage(queue_, buffer, image, 12, origin, region, 0, nullptr, nullptr),
        CL_SUCCESS);
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x)
          expected[at(shape.extent, origin[0] + x, origin[1] + y, origin[2] + z)] =
              other[(z * region[1] + y) * region[0] + x];
    EXPECT_EQ(content(image, shape.extent), expected);
  }
}

TEST_F(ImageObjects, AreFilledInBoxes) {
  const Shape shape = shapes[4];
  std::vector<uint32_t> expected = counting(shape.extent[0] * shape.extent[1] * shape.extent[2]);
  Memory image =
      make_image(bytes_of_rgba, desc_of_shape(shape), CL_MEM_COPY_HOST_PTR, expected.data());
  const cl_uint color[4] = {1, 2, 300, 4};
  const size_t origin[3] = {3, 2, 1}, region[3] = {9, 4, 2};
  ASSERT_EQ(clEnqueueFillImage(queue_, image, color, origin, region, 0, nullptr, nullptr),
            CL_SUCCESS);
  for (size_t z = 1; z < 3; ++z)
    for (size_t y = 2; y < 6; ++y)
      for (size_t x = 3; x < 12; ++x)
        expected[at(shape.extent, x, y, z)] = 0x04ff0201;
  EXPECT_EQ(content(image, shape.extent), expected);
}

// Larger than the size that one thread fills or copies in place.
TEST_F(ImageObjects, OfMegabytesAreFilledAndCopied) {
  const Shape shape{CL_MEM_OBJECT_IMAGE2D, {1023, 1001, 1}};
  Memory image = make_image(bytes_of_rgba, desc_of_shape(shape)),
         other = make_image(bytes_of_rgba, desc_of_shape(shape));
  const cl_uint color[4] = {1, 2, 3, 4};
  const size_t zero[3] = {0, 0, 0};
  ASSERT_EQ(
      clEnqueueFillImage(queue_, image, color, zero, shape.extent.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  ASSERT_EQ(clEnqueueCopyImage(queue_, image, other, zero, zero, shape.extent.data(), 0, nullptr,
                               nullptr),
            CL_SUCCESS);
  EXPECT_EQ(content(other, shape.extent), std::vector<uint32_t>(1023 * 1001, 0x04030201));
}

TEST_F(ImageObjects, AreMapped) {
  for (const Shape &shape : shapes) {
    std::vector<uint32_t> expected = counting(shape.extent[0] * shape.extent[1] * shape.extent[2]);
    Memory image =
        make_image(bytes_of_rgba, desc_of_shape(shape), CL_MEM_COPY_HOST_PTR, expected.data());
    size_t origin[3], row = 0, slice = 77;
    size_t region[3];
    for (int d = 0; d < 3; ++d) {
      origin[d] = shape.extent[d] > 1 ? 1 : 0;
      region[d] = shape.extent[d] - origin[d];
    }
    cl_int status = 1;
    auto *mapped = static_cast<std::byte *>(
        clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
                          &slice, 0, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(memory_info<cl_uint>(image, CL_MEM_MAP_COUNT), 1U);
    EXPECT_EQ(slice == 0,
              shape.type == CL_MEM_OBJECT_IMAGE1D || shape.type == CL_MEM_OBJECT_IMAGE2D);
    const size_t step_y = shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
    for (size_t z = 0; z < region[2]; ++z)
      for (size_t y = 0; y < region[1]; ++y)
        for (size_t x = 0; x < region[0]; ++x) {
          auto *element = reinterpret_cast<uint32_t *>(mapped + z * slice + y * step_y + x * 4);
          uint32_t &wanted =
              expected[at(shape.extent, origin[0] + x, origin[1] + y, origin[2] + z)];
          ASSERT_EQ(*element, wanted);
          *element = wanted = wanted * 3 + 1;
        }
    ASSERT_EQ(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(content(image, shape.extent), expected);
    EXPECT_EQ(memory_info<cl_uint>(image, CL_MEM_MAP_COUNT), 0U);
  }
}

constexpr const char *invert = R"(
  kernel void invert(read_write image2d_t image) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(image, at, 255 - read_imageui(image, at));
  }
  kernel void invert_buffer(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {
    int at = get_global_id(0);
    write_imageui(to, at, 255 - read_imageui(from, at));
  }
)";

// The host's memory has padding between the rows.
TEST_F(ImageObjects, UseMemoryOfTheHost) {
  std::vector<uint32_t> host = counting(20 * 7);
  const std::vector<uint32_t> before = host;
  cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 13, 7);
  desc.image_row_pitch = 80;
  Memory image = make_image(bytes_of_rgba, desc, CL_MEM_USE_HOST_PTR, host.data());
  EXPECT_EQ(image_info<size_t>(image, CL_IMAGE_ROW_PITCH), 80U);
  EXPECT_EQ(memory_info<void *>(image, CL_MEM_HOST_PTR), host.data());
  Program program = build(invert, "-cl-std=CL3.0");
  run(make_kernel(program, "invert"), {13, 7}, image);
  const size_t zero[3] = {0, 0, 0}, region[3] = {13, 7, 1};
  size_t row = 0;
  cl_int status = 1;
  void *mapped = clEnqueueMapImage(queue_, image, CL_TRUE, CL_MAP_READ, zero, region, &row, nullptr,
                                   0, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapped, host.data());
  EXPECT_EQ(row, 80U);
  for (size_t i = 0; i < host.size(); ++i)
    EXPECT_EQ(host[i], i % 20 < 13 ? ~before[i] : before[i]);
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, image, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
}

TEST_F(ImageObjects, ShowBuffers) {
  const std::vector<uint32_t> numbers = counting(20 * 7);
  Memory buffer = make_buffer(numbers.size() * 4);
  write(buffer, numbers);
  cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 13, 7);
  desc.image_row_pitch = 80;
  desc.mem_object = buffer;
  Memory image = make_image(bytes_of_rgba, desc);
  EXPECT_EQ(image_info<cl_mem>(image, CL_IMAGE_BUFFER), buffer.get());
  EXPECT_EQ(memory_info<cl_mem>(image, CL_MEM_ASSOCIATED_MEMOBJECT), buffer.get());
  Program program = build(invert, "-cl-std=CL3.0");
  run(make_kernel(program, "invert"), {13, 7}, image);
  auto got = read<uint32_t>(buffer, numbers.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], i % 20 < 13 ? ~numbers[i] : numbers[i]);

  cl_image_desc line = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 32);
  Memory part = make_sub_buffer(buffer, 128, 128);
  line.mem_object = part;
  Memory from = make_image(bytes_of_rgba, line);
  Memory other = make_buffer(128);
  line.mem_object = other;
  Memory to = make_image(bytes_of_rgba, line);
  run(make_kernel(program, "invert_buffer"), {32}, from, to);
  const auto inverted = read<uint32_t>(other, 32);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(inverted[i], ~got[32 + i]);
  // The image retains the buffer.
  buffer.reset();
  EXPECT_EQ(content(image, {13, 7, 1})[14], ~numbers[21]);
}

// The same elements with another channel order.
TEST_F(ImageObjects, ShowImages) {
  constexpr const char *source = R"(
    kernel void k(read_only image2d_t plain, read_only image2d_t srgb, global float4 *to) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      to[at.y * 16 + at.x] = read_imagef(srgb, at) - read_imagef(plain, at);
    }
  )";
  const cl_image_format linear{CL_RGBA, CL_UNORM_INT8}, srgb{CL_sRGBA, CL_UNORM_INT8};
  std::vector<std::byte> bytes = random_bytes(16 * 16 * 4);
  Memory image = make_image(linear, desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 16), CL_MEM_COPY_HOST_PTR,
                            bytes.data());
  cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 16);
  desc.mem_object = image;
  Memory other = make_image(srgb, desc);
  EXPECT_EQ(memory_info<cl_mem>(other, CL_MEM_ASSOCIATED_MEMOBJECT), image.get());
  EXPECT_EQ(image_info<cl_mem>(other, CL_IMAGE_BUFFER), nullptr);
  Memory to = make_buffer(16 * 16 * 16);
  Program program = build(source);
  run(make_kernel(program, "k"), {16, 16}, image, other, to);
  const auto difference = read<Color>(to, 256);
  for (size_t i = 0; i < 256; ++i)
    for (size_t c = 0; c < 4; ++c)
      EXPECT_EQ(difference[i][c],
                Format(srgb).color(&bytes[i * 4])[c] - Format(linear).color(&bytes[i * 4])[c]);
}

TEST_F(ImageObjects, TellKernelsWhatTheyAre) {
  constexpr const char *source = R"(
    kernel void k(read_only image1d_t a, write_only image1d_array_t b, read_write image2d_t c, read_only image2d_array_t d,
                  read_only image3d_t e, read_only image1d_buffer_t f, read_only image2d_array_depth_t g, global int *to) {
      int i = 0;
      to[i++] = get_image_width(a); to[i++] = get_image_channel_order(a) == CLK_RGBA;
      to[i++] = get_image_channel_data_type(a) == CLK_UNSIGNED_INT8;
      to[i++] = get_image_width(b); to[i++] = get_image_array_size(b);
      to[i++] = get_image_width(c); to[i++] = get_image_height(c); to[i++] = get_image_dim(c).x; to[i++] = get_image_dim(c).y;
      to[i++] = get_image_height(d); to[i++] = get_image_array_size(d); to[i++] = get_image_dim(d).y;
      to[i++] = get_image_height(e); to[i++] = get_image_depth(e); to[i++] = get_image_dim(e).z; to[i++] = get_image_dim(e).w;
      to[i++] = get_image_width(f); to[i++] = get_image_height(g); to[i++] = get_image_array_size(g);
      to[i++] = get_image_channel_order(g) == CLK_DEPTH; to[i++] = get_image_channel_data_type(g) == CLK_FLOAT;
    }
  )";
  std::vector<Memory> images;
  for (const Shape &shape : shapes)
    images.push_back(make_image(bytes_of_rgba, desc_of_shape(shape)));
  Memory buffer = make_buffer(400);
  cl_image_desc line = desc_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, 99);
  line.mem_object = buffer;
  Memory of_buffer = make_image(bytes_of_rgba, line);
  Memory depth = make_image({CL_DEPTH, CL_FLOAT}, desc_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, 6, 0, 9));
  Memory to = make_buffer(21 * 4);
  Program program = build(source, "-cl-std=CL3.0");
  run(make_kernel(program, "k"), {1}, images[0], images[1], images[2], images[3], images[4],
      of_buffer, depth, to);
  EXPECT_EQ(read<cl_int>(to, 21), (std::vector<cl_int>{13, 1, 1, 13, 5, 13, 7, 13, 7, 7, 3,
                                                       7,  7, 4, 4,  0, 99, 6, 9,  1, 1}));
}

// Kernels write with coordinates of all types; writes outside have no effect.
TEST_F(ImageObjects, AreWrittenByKernelsInAllShapes) {
  constexpr const char *source = R"(
    #define NUMBER (uint4)(x + 1, y + 1, z + 1, 7)
    kernel void k(write_only TYPE image) {
      int x = (int)get_global_id(0) - 2;
      int y = get_global_size(1) > 1 ? (int)get_global_id(1) - 2 : -1;
      int z = get_global_size(2) > 1 ? (int)get_global_id(2) - 2 : -1;
      write_imageui(image, AT, NUMBER);
    }
  )";
  constexpr const char *types[] = {"image1d_t", "image1d_array_t", "image2d_t", "image2d_array_t",
                                   "image3d_t"};
  constexpr const char *places[] = {"x", "(int2)(x,y)", "(int2)(x,y)", "(int4)(x,y,z,0)",
                                    "(int4)(x,y,z,0)"};
  for (size_t s = 0; s < 5; ++s) {
    const Shape &shape = shapes[s];
    Memory image = make_image(bytes_of_rgba, desc_of_shape(shape));
    Program program = build(
        source, ("-cl-std=CL3.0 -DTYPE=" + std::string(types[s]) + " -DAT=" + places[s]).c_str());
    std::vector<size_t> items;
    for (size_t d = 0; d < 3; ++d)
      items.push_back(shape.extent[d] > 1 ? shape.extent[d] + 5 : 1);
    run(make_kernel(program, "k"), items, image);
    const auto got = content(image, shape.extent);
    for (size_t z = 0; z < shape.extent[2]; ++z)
      for (size_t y = 0; y < shape.extent[1]; ++y)
        for (size_t x = 0; x < shape.extent[0]; ++x) {
          const auto second = uint32_t(shape.extent[1] > 1 ? y + 1 : 0),
                     third = uint32_t(shape.extent[2] > 1 ? z + 1 : 0);
          ASSERT_EQ(got[at(shape.extent, x, y, z)],
                    uint32_t(x + 1) | second << 8 | third << 16 | 7U << 24)
              << types[s];
        }
  }
}

TEST_F(ImageObjects, HaveTheLimitsOfAFullProfile) {
  EXPECT_EQ(device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT), cl_bool{CL_TRUE});
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_READ_IMAGE_ARGS), 128U);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_WRITE_IMAGE_ARGS), 64U);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS), 64U);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH), 16384U);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_IMAGE2D_MAX_HEIGHT), 16384U);
  for (cl_device_info name : {CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                              CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
    EXPECT_GE(device_info<size_t>(name), 2048U);
  EXPECT_GE(device_info<size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE), 65536U);
  EXPECT_GE(device_info<cl_uint>(CL_DEVICE_MAX_SAMPLERS), 16U);
  EXPECT_GT(device_info<cl_uint>(CL_DEVICE_IMAGE_PITCH_ALIGNMENT), 0U);
  EXPECT_GT(device_info<cl_uint>(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT), 0U);
}

TEST_F(ImageObjects, SamplersTellWhatTheyAre) {
  const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                              CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0};
  cl_int status = 1;
  Sampler sampler(clCreateSamplerWithProperties(context_, properties, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  auto info = [&]<class T>(cl_sampler_info name, T value) {
    EXPECT_EQ(clGetSamplerInfo(sampler, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  };
  EXPECT_EQ(info(CL_SAMPLER_FILTER_MODE, cl_filter_mode{}), cl_filter_mode{CL_FILTER_LINEAR});
  EXPECT_EQ(info(CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode{}),
            cl_addressing_mode{CL_ADDRESS_REPEAT});
  EXPECT_EQ(info(CL_SAMPLER_NORMALIZED_COORDS, cl_bool{}), cl_bool{CL_TRUE});
  EXPECT_EQ(info(CL_SAMPLER_CONTEXT, cl_context{}), context_.get());
  EXPECT_EQ(info(CL_SAMPLER_REFERENCE_COUNT, cl_uint{}), 1U);
  size_t size = 0;
  EXPECT_EQ(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, 0, nullptr, &size), CL_SUCCESS);
  EXPECT_EQ(size, sizeof properties);
  EXPECT_EQ(clRetainSampler(sampler), CL_SUCCESS);
  EXPECT_EQ(clReleaseSampler(sampler), CL_SUCCESS);
}

} // namespace
