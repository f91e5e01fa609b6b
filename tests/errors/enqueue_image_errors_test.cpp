// Tests commands on images with one invalid argument each (OpenCL 3.0 API sections 5.3.3 to 5.3.6).
#include "error_fixture.h"

using namespace lockstep::test;

namespace {

class EnqueueImageErrors : public ErrorTest {
protected:
  void SetUp() override {
    ErrorTest::SetUp();
    if (HasFatalFailure())
      return;
    image_ = make(CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_UNORM_INT8});
    buffer_ = make_buffer(16 * 8 * 4);
  }

  Memory make(cl_mem_object_type type, cl_image_format format, cl_mem_flags flags = 0) {
    cl_image_desc desc{};
    desc.image_type = type;
    desc.image_width = 16;
    desc.image_height = 8;
    desc.image_depth = desc.image_array_size = 4;
    desc.num_mip_levels = levels_;
    cl_int status = 1;
    Memory image(clCreateImage(context_, flags, &format, &desc, nullptr, &status));
    EXPECT_EQ(status, CL_SUCCESS);
    return image;
  }

  cl_int read(cl_mem image, const size_t *origin, const size_t *region, size_t row = 0,
              size_t slice = 0, bool has_pointer = true) {
    return clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, row, slice,
                              has_pointer ? bytes_ : nullptr, 0, nullptr, nullptr);
  }
  cl_int write(cl_mem image, const size_t *origin, const size_t *region, size_t row = 0,
               size_t slice = 0) {
    return clEnqueueWriteImage(queue_, image, CL_TRUE, origin, region, row, slice, bytes_, 0,
                               nullptr, nullptr);
  }
  cl_int copy(cl_mem from, cl_mem to, const size_t *from_origin, const size_t *to_origin,
              const size_t *region) {
    return clEnqueueCopyImage(queue_, from, to, from_origin, to_origin, region, 0, nullptr,
                              nullptr);
  }

  cl_uint levels_ = 0;
  Memory image_, buffer_;
  const size_t zero_[3] = {0, 0, 0}, whole_[3] = {16, 8, 1}, part_[3] = {4, 4, 1};
  char bytes_[16 * 8 * 4 * 4];
};

TEST_F(EnqueueImageErrors, Objects) {
  expect(CL_INVALID_COMMAND_QUEUE, clEnqueueReadImage(no_queue(), image_, CL_TRUE, zero_, whole_, 0,
                                                      0, bytes_, 0, nullptr, nullptr));
  expect(CL_INVALID_MEM_OBJECT, read(no_buffer(), zero_, whole_), "image");
  expect(CL_INVALID_MEM_OBJECT, read(buffer_, zero_, whole_), "buffer");
  expect(CL_INVALID_CONTEXT, read(other_buffer_, zero_, whole_), "context");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueReadBuffer(queue_, image_, CL_TRUE, 0, 4, bytes_, 0, nullptr, nullptr), "image");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueFillBuffer(queue_, image_, bytes_, 4, 0, 4, 0, nullptr, nullptr), "image");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueCopyImageToBuffer(queue_, image_, image_, zero_, part_, 0, 0, nullptr, nullptr),
         "dst_buffer");
  expect(CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBufferToImage(queue_, buffer_, buffer_, 0, zero_, part_, 0, nullptr, nullptr),
         "dst_image");
}

// The levels have 16 x 8, 8 x 4 and 4 x 2 elements; the third coordinate of the origin is the
// level.
TEST_F(EnqueueImageErrors, Levels) {
  levels_ = 3;
  Memory plane = make(CL_MEM_OBJECT_IMAGE2D, {CL_RGBA, CL_UNORM_INT8});
  const size_t first[4] = {}, second[4] = {0, 0, 1}, none[4] = {0, 0, 3}, all[3] = {16, 8, 1},
               half[3] = {8, 4, 1}, two_levels[3] = {4, 2, 2};
  EXPECT_EQ(read(plane, first, all), CL_SUCCESS);
  EXPECT_EQ(read(plane, second, half), CL_SUCCESS);
  expect(CL_INVALID_VALUE, read(plane, second, all), "not inside");
  expect(CL_INVALID_VALUE, read(plane, none, half), "3 mip levels");
  expect(CL_INVALID_VALUE, write(plane, none, half), "3 mip levels");
  expect(CL_INVALID_VALUE, read(plane, first, two_levels), "not inside");
  expect(CL_INVALID_VALUE, copy(plane, plane, none, first, half), "src_origin");
  expect(CL_INVALID_VALUE, copy(plane, plane, first, none, half), "dst_origin");
  EXPECT_EQ(copy(plane, plane, first, second, half), CL_SUCCESS); // different levels do not overlap
  expect(CL_MEM_COPY_OVERLAP, copy(plane, plane, second, second, half), "overlap");
  const cl_float color[4] = {};
  expect(CL_INVALID_VALUE,
         clEnqueueFillImage(queue_, plane, color, none, half, 0, nullptr, nullptr), "3 mip levels");
  expect(CL_INVALID_VALUE,
         clEnqueueCopyImageToBuffer(queue_, plane, buffer_, none, half, 0, 0, nullptr, nullptr),
         "src_origin");
  expect(CL_INVALID_VALUE,
         clEnqueueCopyBufferToImage(queue_, buffer_, plane, 0, none, half, 0, nullptr, nullptr),
         "dst_origin");
  size_t row = 0;
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *status) {
        return clEnqueueMapImage(queue_, plane, CL_TRUE, CL_MAP_READ, none, half, &row, nullptr, 0,
                                 nullptr, nullptr, status);
      },
      "3 mip levels");
  Memory volume = make(CL_MEM_OBJECT_IMAGE3D, {CL_RGBA, CL_UNORM_INT8});
  const size_t coarse[4] = {0, 0, 0, 2}, beyond[4] = {0, 0, 0, 3}, small[3] = {4, 2, 1};
  EXPECT_EQ(read(volume, coarse, small), CL_SUCCESS);
  EXPECT_EQ(copy(volume, volume, first, coarse, small), CL_SUCCESS);
  expect(CL_INVALID_VALUE, read(volume, beyond, small), "origin[3]");
  expect(CL_MEM_COPY_OVERLAP, copy(volume, volume, coarse, coarse, small), "overlap");
}

TEST_F(EnqueueImageErrors, Regions) {
  const size_t far[3] = {13, 0, 0}, deep[3] = {0, 0, 1}, empty[3] = {4, 0, 1}, thick[3] = {4, 4, 2};
  expect(CL_INVALID_VALUE, read(image_, nullptr, part_), "origin");
  expect(CL_INVALID_VALUE, read(image_, zero_, nullptr), "region");
  expect(CL_INVALID_VALUE, read(image_, far, part_), "inside");
  expect(CL_INVALID_VALUE, read(image_, deep, part_), "inside");
  expect(CL_INVALID_VALUE, read(image_, zero_, empty), "inside");
  expect(CL_INVALID_VALUE, read(image_, zero_, thick), "inside");
  expect(CL_INVALID_VALUE, read(image_, zero_, part_, 0, 0, false), "ptr");
  expect(CL_INVALID_VALUE, write(image_, far, part_), "inside");
  expect(CL_INVALID_VALUE, copy(image_, image_, far, zero_, part_), "src_origin");
  expect(CL_INVALID_VALUE, copy(image_, image_, zero_, far, part_), "dst_origin");
  float color[4] = {};
  expect(CL_INVALID_VALUE,
         clEnqueueFillImage(queue_, image_, color, far, part_, 0, nullptr, nullptr), "inside");
  expect(CL_INVALID_VALUE,
         clEnqueueFillImage(queue_, image_, nullptr, zero_, part_, 0, nullptr, nullptr), "color");
  expect(CL_INVALID_VALUE,
         clEnqueueCopyImageToBuffer(queue_, image_, buffer_, zero_, whole_, 4, 0, nullptr, nullptr),
         "dst_buffer");
  expect(CL_INVALID_VALUE,
         clEnqueueCopyBufferToImage(queue_, buffer_, image_, 4, zero_, whole_, 0, nullptr, nullptr),
         "src_buffer");
}

TEST_F(EnqueueImageErrors, Pitches) {
  Memory layers = make(CL_MEM_OBJECT_IMAGE2D_ARRAY, {CL_RGBA, CL_UNORM_INT8});
  expect(CL_INVALID_VALUE, read(image_, zero_, part_, 15), "row_pitch");
  expect(CL_INVALID_VALUE, read(image_, zero_, part_, 0, 64), "slice_pitch");
  expect(CL_INVALID_VALUE, read(layers, zero_, part_, 0, 63), "slice_pitch");
  expect(CL_INVALID_VALUE, write(image_, zero_, part_, 15), "row_pitch");
  EXPECT_EQ(read(layers, zero_, part_, 20, 80), CL_SUCCESS);
}

TEST_F(EnqueueImageErrors, HostAccess) {
  Memory unread = make(CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_FLOAT}, CL_MEM_HOST_WRITE_ONLY);
  Memory unwritten = make(CL_MEM_OBJECT_IMAGE2D, {CL_R, CL_FLOAT}, CL_MEM_HOST_READ_ONLY);
  expect(CL_INVALID_OPERATION, read(unread, zero_, part_), "CL_MEM_HOST_WRITE_ONLY");
  expect(CL_INVALID_OPERATION, write(unwritten, zero_, part_), "CL_MEM_HOST_READ_ONLY");
  size_t pitch = 0;
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *status) {
        return clEnqueueMapImage(queue_, unread, CL_TRUE, CL_MAP_READ, zero_, part_, &pitch,
                                 nullptr, 0, nullptr, nullptr, status);
      },
      "CL_MEM_HOST_WRITE_ONLY");
}

TEST_F(EnqueueImageErrors, Copies) {
  Memory other_format = make(CL_MEM_OBJECT_IMAGE2D, {CL_BGRA, CL_UNORM_INT8});
  const size_t shifted[3] = {3, 3, 0}, beside[3] = {4, 0, 0};
  expect(CL_IMAGE_FORMAT_MISMATCH, copy(image_, other_format, zero_, zero_, part_), "format");
  expect(CL_MEM_COPY_OVERLAP, copy(image_, image_, zero_, shifted, part_), "overlap");
  EXPECT_EQ(copy(image_, image_, zero_, beside, part_), CL_SUCCESS);
  expect_wait_list_errors([&](cl_uint count, const cl_event *list) {
    return clEnqueueCopyImage(queue_, image_, image_, zero_, beside, part_, count, list, nullptr);
  });
}

TEST_F(EnqueueImageErrors, Maps) {
  Memory volume = make(CL_MEM_OBJECT_IMAGE3D, {CL_RGBA, CL_UNORM_INT8});
  size_t pitch = 0;
  auto map = [&](cl_mem image, cl_map_flags flags, const size_t *origin, size_t *row, size_t *slice,
                 cl_int *status) {
    return clEnqueueMapImage(queue_, image, CL_TRUE, flags, origin, part_, row, slice, 0, nullptr,
                             nullptr, status);
  };
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *s) { return map(image_, CL_MAP_READ, zero_, nullptr, nullptr, s); },
      "image_row_pitch");
  expect_null(
      CL_INVALID_VALUE,
      [&](cl_int *s) { return map(volume, CL_MAP_READ, zero_, &pitch, nullptr, s); },
      "image_slice_pitch");
  expect_null(
      CL_INVALID_VALUE, [&](cl_int *s) { return map(image_, 0x80, zero_, &pitch, nullptr, s); },
      "map_flags");
  // The two boxes are side by side: they are disjoint, although their rows interleave in memory.
  const size_t beside[3] = {4, 0, 0}, across[3] = {3, 1, 0};
  cl_int status = 1;
  void *first = map(image_, CL_MAP_WRITE, zero_, &pitch, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  void *second = map(image_, CL_MAP_WRITE, beside, &pitch, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  expect_null(
      CL_INVALID_OPERATION,
      [&](cl_int *s) { return map(image_, CL_MAP_WRITE, across, &pitch, nullptr, s); }, "overlap");
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, image_, first, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue_, image_, second, 0, nullptr, nullptr), CL_SUCCESS);
  expect(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue_, image_, first, 0, nullptr, nullptr),
         "mapped_ptr");
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace
