// Work-groups in tiles that use only global IDs and become rows (coalesce-indistinct-groups). Their
// kernels read an image at neighboring texels: inside, at the edge and outside, for global sizes
// larger than the image and with offsets.
#include "image_fixture.h"

#include <algorithm>
#include <array>
#include <cstdint>

using namespace lockstep::test;

namespace {

constexpr int width = 1111, height = 37;

class ImageTiles : public ImageTest {
protected:
  template <class T> void check(const cl_image_format &format);

  template <class T> std::vector<T> random_texels() {
    std::vector<T> texels(size_t(width) * height);
    for (T &texel : texels)
      texel = T(random_() & 255);
    return texels;
  }
};

constexpr const char *source = R"(
kernel void cross(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | MODE;
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  uint sum = read_imageui(from, nearest, at).x;
  sum += 2 * read_imageui(from, nearest, at + (int2)(-1, 0)).x;
  sum += 3 * read_imageui(from, nearest, at + (int2)(1, 0)).x;
  sum += 5 * read_imageui(from, nearest, at + (int2)(0, -1)).x;
  sum += 7 * read_imageui(from, nearest, at + (int2)(0, 1)).x;
  write_imageui(to, at, (uint4)(sum & 255));
})";

template <class T> unsigned texel(const std::vector<T> &from, int x, int y, bool border) {
  if (border && (x < 0 || x >= width || y < 0 || y >= height))
    return 0;
  x = std::clamp(x, 0, width - 1);
  y = std::clamp(y, 0, height - 1);
  return from[size_t(y) * width + size_t(x)];
}

template <class T> void ImageTiles::check(const cl_image_format &format) {
  const cl_image_desc desc = desc_of(CL_MEM_OBJECT_IMAGE2D, width, height);
  std::vector<T> pixels = random_texels<T>();
  Memory from = make_image(format, desc, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, pixels.data());
  Memory to = make_image(format, desc);
  const cl_mem images[] = {from, to};
  const size_t origin[3] = {}, region[3] = {width, height, 1};
  for (const bool border : {false, true}) {
    Program program =
        build(source, border ? "-DMODE=CLK_ADDRESS_CLAMP" : "-DMODE=CLK_ADDRESS_CLAMP_TO_EDGE");
    Kernel kernel = make_kernel(program, "cross");
    for (cl_uint argument : {0, 1})
      ASSERT_EQ(clSetKernelArg(kernel, argument, sizeof(cl_mem), &images[argument]), CL_SUCCESS);
    using Size = std::array<size_t, 2>;
    for (const auto &[local, offset] : {std::pair{Size{16, 4}, Size{0, 0}},
                                        {Size{64, 4}, Size{0, 0}},
                                        {Size{8, 8}, Size{5, 3}},
                                        {Size{128, 1}, Size{0, 0}}}) {
      std::vector<T> expected = random_texels<T>(), got(pixels.size());
      ASSERT_EQ(clEnqueueWriteImage(queue_, to, CL_TRUE, origin, region, 0, 0, expected.data(), 0,
                                    nullptr, nullptr),
                CL_SUCCESS);
      const Size global = {2048, 64};
      ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, offset.data(), global.data(),
                                       local.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(clEnqueueReadImage(queue_, to, CL_TRUE, origin, region, 0, 0, got.data(), 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
      for (int y = int(offset[1]); y != height; ++y)
        for (int x = int(offset[0]); x != width; ++x)
          expected[size_t(y) * width + size_t(x)] = static_cast<uint8_t>(
              texel(pixels, x, y, border) + 2 * texel(pixels, x - 1, y, border) +
              3 * texel(pixels, x + 1, y, border) + 5 * texel(pixels, x, y - 1, border) +
              7 * texel(pixels, x, y + 1, border));
      EXPECT_EQ(got, expected) << "in groups of " << local[0] << " x " << local[1]
                               << (border ? ", with a border" : "");
    }
  }
}

TEST_F(ImageTiles, Bytes) {
  check<uint8_t>({CL_R, CL_UNSIGNED_INT8});
}
TEST_F(ImageTiles, Words) {
  check<uint32_t>({CL_R, CL_UNSIGNED_INT32});
}

} // namespace
