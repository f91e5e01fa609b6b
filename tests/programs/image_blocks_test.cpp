// Tests reads and writes of image blocks by sub-groups (cl_intel_subgroups).
#include "image_fixture.h"

#include <algorithm>
#include <cstring>
#include <string>

using namespace lockstep::test;

namespace {

constexpr int lanes = 8, width = 21, height = 9;
constexpr cl_image_format formats[] = {{CL_RGBA, CL_UNORM_INT8},
                                       {CL_R, CL_UNSIGNED_INT8},
                                       {CL_RG, CL_SNORM_INT8},
                                       {CL_R, CL_FLOAT},
                                       {CL_R, CL_HALF_FLOAT}};

class ImageBlocks : public ImageTest {
protected:
  void SetUp() override {
    ImageTest::SetUp();
    if (!has_sub_group_size(lanes))
      GTEST_SKIP() << "no sub-groups of " << lanes;
  }
};

size_t row_bytes(const cl_image_format &format) {
  return size_t(width) * Format(format).bytes;
}

// Follows the extension's text: the word of row y at byte x, clamped to the image.
cl_uint word_at(const std::vector<std::byte> &texels, size_t bytes, int x, int y) {
  y = std::clamp(y, 0, height - 1);
  x = std::clamp(x, 0, int(bytes) - 4);
  cl_uint word = 0;
  std::memcpy(&word, texels.data() + size_t(y) * bytes + size_t(x), sizeof word);
  return word;
}

constexpr const char *reader = R"(
__attribute__((intel_reqd_sub_group_size(8))) kernel void
read_blocks(QUALIFIER image2d_t image, global uint *to, int x, int y) {
  uint lane = get_sub_group_local_id();
  int2 at = (int2)(x, y);
  uint one = intel_sub_group_block_read(image, at);
  uint2 two = intel_sub_group_block_read2(image, at);
  uint4 four = intel_sub_group_block_read4(image, at);
  uint8 eight = intel_sub_group_block_read8(image, at);
  to += lane * 15;
  to[0] = one;
  vstore2(two, 0, to + 1);
  vstore4(four, 0, to + 3);
  vstore8(eight, 0, to + 7);
})";

TEST_F(ImageBlocks, Read) {
  for (const char *qualifier : {"read_only", "read_write"}) {
    Program program =
        build(reader, (std::string("-cl-std=CL3.0 -DQUALIFIER=") + qualifier).c_str());
    Kernel kernel = make_kernel(program, "read_blocks");
    for (const cl_image_format &format : formats) {
      const size_t bytes = row_bytes(format);
      std::vector<std::byte> texels = random_bytes(bytes * height);
      Memory image = make_image(format, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, texels.data());
      Memory to = make_buffer(lanes * 15 * 4);
      // Positions inside, at no multiple of an element, and partly or wholly outside of each edge.
      for (const auto &[x, y] : {std::pair{0, 0},
                                 {3, 1},
                                 {-8, -3},
                                 {int(bytes) - 12, 4},
                                 {int(bytes) + 4, height + 2}}) {
        ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof x, &x), CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof y, &y), CL_SUCCESS);
        run(kernel, {lanes}, image, to);
        const auto got = read<cl_uint>(to, lanes * 15);
        for (int lane = 0; lane != lanes; ++lane) {
          int place = lane * 15;
          for (int count : {1, 2, 4, 8})
            for (int row = 0; row != count; ++row, ++place) {
              const int at = x + 4 * lane;
              // A word that is partly outside of an image with small elements may have any value.
              if (Format(format).bytes == 4 ? at % 4 != 0 && (at < 0 || at + 4 > int(bytes))
                                            : at < 0 || at + 4 > int(bytes))
                continue;
              EXPECT_EQ(got[size_t(place)], word_at(texels, bytes, at, y + row))
                  << qualifier << " format " << format.image_channel_order << " "
                  << format.image_channel_data_type << " at " << x << " " << y << ", lane " << lane
                  << ", row " << row << " of " << count;
            }
        }
      }
    }
  }
}

constexpr const char *writer = R"(
__attribute__((intel_reqd_sub_group_size(8))) kernel void
write_blocks(QUALIFIER image2d_t image, global const uint *from, int x, int y) {
  uint lane = get_sub_group_local_id();
  from += lane * 15;
  intel_sub_group_block_write(image, (int2)(x, y), from[0]);
  intel_sub_group_block_write2(image, (int2)(x, y + 1), vload2(0, from + 1));
  intel_sub_group_block_write4(image, (int2)(x, y + 3), vload4(0, from + 3));
  intel_sub_group_block_write8(image, (int2)(x, y + 7), vload8(0, from + 7));
})";

TEST_F(ImageBlocks, Write) {
  for (const char *qualifier : {"write_only", "read_write"}) {
    Program program =
        build(writer, (std::string("-cl-std=CL3.0 -DQUALIFIER=") + qualifier).c_str());
    Kernel kernel = make_kernel(program, "write_blocks");
    for (const cl_image_format &format : formats) {
      const size_t bytes = row_bytes(format);
      for (const auto &[x, y] :
           {std::pair{0, -2}, {-8, -9}, {int(bytes) / 4 * 4 - 12, 4}, {int(bytes) + 4, height}}) {
        std::vector<std::byte> texels = random_bytes(bytes * height);
        Memory image = make_image(format, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                                  CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, texels.data());
        Memory from = make_buffer(lanes * 15 * 4);
        std::vector<cl_uint> data(lanes * 15);
        for (cl_uint &word : data)
          word = random_();
        write(from, data);
        ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof x, &x), CL_SUCCESS);
        ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof y, &y), CL_SUCCESS);
        run(kernel, {lanes}, image, from);
        for (int lane = 0; lane != lanes; ++lane)
          for (int row = 0; row != 15; ++row)
            for (int byte = 0; byte != 4; ++byte) {
              const int column = x + 4 * lane + byte;
              if (y + row >= 0 && y + row < height && column >= 0 && column < int(bytes))
                texels[size_t(y + row) * bytes + size_t(column)] =
                    std::byte(data[size_t(lane * 15 + row)] >> 8 * byte);
            }
        std::vector<std::byte> got(texels.size());
        const size_t origin[3] = {}, region[3] = {width, height, 1};
        ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, got.data(), 0,
                                     nullptr, nullptr),
                  CL_SUCCESS);
        EXPECT_EQ(got, texels) << qualifier << " format " << format.image_channel_order << " "
                               << format.image_channel_data_type << " at " << x << " " << y;
      }
    }
  }
}

// The image is narrower than a word.
TEST_F(ImageBlocks, NarrowImage) {
  Program program = build(reader, "-cl-std=CL3.0 -DQUALIFIER=read_only");
  Kernel kernel = make_kernel(program, "read_blocks");
  std::vector<std::byte> texels = random_bytes(3 * 2);
  Memory image = make_image({CL_R, CL_UNSIGNED_INT8}, desc_of(CL_MEM_OBJECT_IMAGE2D, 3, 2),
                            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, texels.data());
  Memory to = make_buffer(lanes * 15 * 4);
  const cl_int zero = 0;
  ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof zero, &zero), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof zero, &zero), CL_SUCCESS);
  run(kernel, {lanes}, image, to);
  cl_uint expected = 0;
  std::memcpy(&expected, texels.data(), 3);
  EXPECT_EQ(read<cl_uint>(to, 1)[0] & 0xffffff, expected);
}

} // namespace
