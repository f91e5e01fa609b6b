// Tests every format that the device offers, as the specification describes it bit by bit: kernel
// reads, kernel writes, and clEnqueueFillImage.
#include "image_fixture.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace lockstep::test;

namespace {

constexpr size_t width = 256, height = 256, elements = width * height;

constexpr const char *source = R"(
  #define AT (int2)(get_global_id(0), get_global_id(1))
  #define PLACE get_global_id(1) * get_global_size(0) + get_global_id(0)
  kernel void read_f(read_only image2d_t image, global float4 *to) { to[PLACE] = read_imagef(image, AT); }
  kernel void read_i(read_only image2d_t image, global int4 *to) { to[PLACE] = read_imagei(image, AT); }
  kernel void read_u(read_only image2d_t image, global uint4 *to) { to[PLACE] = read_imageui(image, AT); }
  kernel void read_depth(read_only image2d_depth_t image, global float4 *to) {
    to[PLACE] = (float4)(read_imagef(image, AT), 0, 0, 1);
  }
  kernel void write_f(write_only image2d_t image, global const float4 *from) { write_imagef(image, AT, from[PLACE]); }
  kernel void write_i(write_only image2d_t image, global const int4 *from) { write_imagei(image, AT, from[PLACE]); }
  kernel void write_u(write_only image2d_t image, global const uint4 *from) { write_imageui(image, AT, from[PLACE]); }
  kernel void write_depth(write_only image2d_depth_t image, global const float4 *from) {
    write_imagef(image, AT, from[PLACE].x);
  }
)";

std::string name_of(const Format &format) {
  char text[64];
  std::snprintf(text, sizeof text, "order %#x, data type %#x", format.cl.image_channel_order,
                format.cl.image_channel_data_type);
  return text;
}

const char *suffix_of(const Format &format) {
  if (format.cl.image_channel_order == CL_DEPTH)
    return "_depth";
  return format.kind == Kind::floating ? "_f" : format.kind == Kind::signed_integer ? "_i" : "_u";
}

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

class ImageFormats : public ImageTest {
protected:
  void SetUp() override {
    ImageTest::SetUp();
    program_ = build(source);
  }

  Kernel kernel(const char *what, const Format &format) {
    return make_kernel(program_, (what + std::string(suffix_of(format))).c_str());
  }

  // Returns elements in which each channel takes all values of up to 16 bits.
  std::vector<std::byte> counting(const Format &format) {
    std::vector<std::byte> bytes = random_bytes(elements * format.bytes);
    const unsigned bits = format.channels[0].bits;
    if (format.channels.size() <= 2 && (bits == 8 || bits == 16))
      for (size_t i = 0; i < elements; ++i)
        for (size_t c = 0; c < format.channels.size(); ++c)
          std::memcpy(&bytes[i * format.bytes + c * bits / 8], &i, bits / 8);
    return bytes;
  }

  // Returns colors that are hard to convert: out of range, halfway between two codes, NaN.
  Color color(size_t i, const Format &format) {
    Color color;
    for (size_t c = 0; c < 4; ++c) {
      const auto largest = float((uint64_t{1} << std::min(16U, format.channels[0].bits)) - 1);
      std::uniform_real_distribution<float> around(-1.5f, 1.5f), wide(-1e6f, 1e6f);
      switch ((i + c) % 8) {
      case 0:
        color[c] = (float(random_() % 65536) + 0.5f) / largest;
        break;
      case 1:
        color[c] = wide(random_);
        break;
      case 2:
        color[c] = i % 64 == 0 ? NAN : i % 64 == 1 ? INFINITY : i % 64 == 2 ? -INFINITY : 0.0f;
        break;
      case 3:
        color[c] = std::ldexp(around(random_), -int(random_() % 30));
        break;
      default:
        color[c] = around(random_);
      }
    }
    return color;
  }

  Integers integers(const Format &format) {
    Integers values;
    for (int64_t &value : values) {
      const unsigned shift = random_() % 32;
      value = format.kind == Kind::signed_integer ? int64_t(int32_t(random_()) >> shift)
                                                  : int64_t(random_() >> shift);
    }
    return values;
  }

  Program program_;
};

TEST_F(ImageFormats, AreReadByKernels) {
  for (const cl_image_format &cl : formats_of(CL_MEM_OBJECT_IMAGE2D)) {
    const Format format(cl);
    const std::vector<std::byte> content = counting(format);
    Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                              CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              const_cast<std::byte *>(content.data()));
    Memory to = make_buffer(elements * 16);
    run(kernel("read", format), {width, height}, image, to);
    const auto colors = read<Color>(to, elements);
    for (size_t i = 0; i < elements; ++i) {
      const std::byte *element = &content[i * format.bytes];
      if (format.kind == Kind::floating) {
        const Color expected = format.color(element);
        for (size_t c = 0; c < 4; ++c)
          ASSERT_TRUE(same(colors[i][c], expected[c]))
              << name_of(format) << ", element " << i << ", component " << c << ": " << colors[i][c]
              << " instead of " << expected[c];
      } else {
        const Integers expected = format.integers(element);
        for (size_t c = 0; c < 4; ++c)
          ASSERT_EQ(std::bit_cast<uint32_t>(colors[i][c]), uint32_t(expected[c]))
              << name_of(format) << ", element " << i << ", component " << c;
      }
    }
  }
}

TEST_F(ImageFormats, AreWrittenByKernels) {
  for (const cl_image_format &cl : formats_of(CL_MEM_OBJECT_IMAGE2D)) {
    const Format format(cl);
    std::vector<Color> given(elements);
    std::vector<std::byte> expected;
    for (size_t i = 0; i < elements; ++i) {
      std::vector<std::byte> element;
      if (format.kind == Kind::floating) {
        given[i] = color(i, format);
        element = format.element(given[i]);
      } else {
        const Integers values = integers(format);
        for (size_t c = 0; c < 4; ++c)
          given[i][c] = std::bit_cast<float>(uint32_t(values[c]));
        element = format.element(values);
      }
      expected.insert(expected.end(), element.begin(), element.end());
    }
    Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height), CL_MEM_WRITE_ONLY);
    Memory from = make_buffer(elements * 16, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, given.data());
    run(kernel("write", format), {width, height}, image, from);
    std::vector<std::byte> written(expected.size());
    const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, written.data(), 0,
                                 nullptr, nullptr),
              CL_SUCCESS);
    for (size_t i = 0; i < elements; ++i) {
      const std::byte *got = &written[i * format.bytes], *want = &expected[i * format.bytes];
      if (std::memcmp(got, want, format.bytes) == 0 ||
          format.without_padding(got) == format.without_padding(want))
        continue;
      const Color back = format.color(got), wanted = format.color(want);
      for (size_t c = 0; c < 4; ++c) // NaNs have many encodings
        ASSERT_TRUE(format.kind == Kind::floating &&
                    (std::isnan(wanted[c]) ? std::isnan(back[c]) : back[c] == wanted[c]))
            << name_of(format) << ", element " << i << ", component " << c << ": " << given[i][c]
            << " became " << back[c] << " instead of " << wanted[c];
    }
  }
}

TEST_F(ImageFormats, AreFilled) {
  for (const cl_image_format &cl : formats_of(CL_MEM_OBJECT_IMAGE2D)) {
    const Format format(cl);
    std::vector<std::byte> expected = random_bytes(16 * 8 * format.bytes);
    Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, 16, 8),
                              CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, expected.data());
    for (size_t i = 3; i < 8; ++i) { // one color per row
      const Integers values = integers(format);
      Color given = color(i, format);
      std::vector<std::byte> element = format.element(given);
      if (format.kind != Kind::floating) {
        for (size_t c = 0; c < 4; ++c)
          given[c] = std::bit_cast<float>(uint32_t(values[c]));
        element = format.element(values);
      }
      const size_t origin[3] = {3, i, 0}, region[3] = {11, 1, 1};
      ASSERT_EQ(
          clEnqueueFillImage(queue_, image, given.data(), origin, region, 0, nullptr, nullptr),
          CL_SUCCESS);
      for (size_t x = 3; x < 14; ++x)
        std::memcpy(&expected[(i * 16 + x) * format.bytes], element.data(), format.bytes);
    }
    std::vector<std::byte> filled(expected.size());
    const size_t origin[3] = {0, 0, 0}, region[3] = {16, 8, 1};
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, filled.data(), 0,
                                 nullptr, nullptr),
              CL_SUCCESS);
    for (size_t i = 0; i < 16 * 8; ++i)
      ASSERT_EQ(format.without_padding(&filled[i * format.bytes]),
                format.without_padding(&expected[i * format.bytes]))
          << name_of(format) << ", element " << i;
  }
}

// Kernels cannot read the padding, but the Khronos suite compares it with the fill color.
TEST_F(ImageFormats, PaddingIsFilledWithTheFourthComponent) {
  for (auto [component, byte] : {std::pair{1.0f, 255}, {0.5f, 128}, {0.0f, 0}}) {
    Memory image = make_image({CL_sRGBx, CL_UNORM_INT8}, desc_of(CL_MEM_OBJECT_IMAGE2D, 1, 1),
                              CL_MEM_READ_WRITE);
    const float color[4] = {1, 0, 1, component};
    const size_t origin[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    ASSERT_EQ(clEnqueueFillImage(queue_, image, color, origin, region, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::array<uint8_t, 4> element{};
    ASSERT_EQ(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, element.data(), 0,
                                 nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(element, (std::array<uint8_t, 4>{255, 0, 255, uint8_t(byte)}));
  }
}

// Halves are read unchanged. Bytes are read as the nearest half, which converts back to the same
// byte.
TEST_F(ImageFormats, AreReadAndWrittenAsHalves) {
  constexpr const char *halves = R"(
    #pragma OPENCL EXTENSION cl_khr_fp16 : enable
    kernel void through(read_only image2d_t from, write_only image2d_t to, global half4 *values) {
      half4 color = read_imageh(from, AT);
      values[PLACE] = color;
      write_imageh(to, AT, color);
    }
  )";
  const std::string text =
      std::string(source).substr(0, std::string(source).find("kernel")) + halves;
  Program program = build(text.c_str());
  for (const cl_image_format cl :
       {cl_image_format{CL_RGBA, CL_HALF_FLOAT}, {CL_BGRA, CL_UNORM_INT8}}) {
    const Format format(cl);
    std::vector<std::byte> content = random_bytes(elements * format.bytes);
    if (cl.image_channel_data_type == CL_HALF_FLOAT)
      for (size_t i = 1; i < content.size(); i += 2)
        content[i] &= std::byte{0xbf}; // no NaN, no infinity
    Memory image = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height),
                              CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data());
    Memory copy = make_image(cl, desc_of(CL_MEM_OBJECT_IMAGE2D, width, height), CL_MEM_WRITE_ONLY);
    Memory values = make_buffer(elements * 8);
    run(make_kernel(program, "through"), {width, height}, image, copy, values);
    const auto got = read<std::array<uint16_t, 4>>(values, elements);
    const Format half({CL_RGBA, CL_HALF_FLOAT});
    for (size_t i = 0; i < elements; ++i) {
      const auto expected = half.element(format.color(&content[i * format.bytes]));
      ASSERT_EQ(std::memcmp(got[i].data(), expected.data(), 8), 0)
          << name_of(format) << ", element " << i;
    }
    std::vector<std::byte> written(content.size());
    const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    ASSERT_EQ(clEnqueueReadImage(queue_, copy, CL_TRUE, origin, region, 0, 0, written.data(), 0,
                                 nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_TRUE(written == content) << name_of(format);
  }
}

// Tests the formats that the specification requires of a full profile, and some others.
TEST_F(ImageFormats, OfTheSpecificationAreThere) {
  constexpr cl_channel_type of_rgba[] = {
      CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
      CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  for (cl_mem_object_type type :
       {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D}) {
    const auto formats = formats_of(type);
    auto has = [&](cl_channel_order order, cl_channel_type data_type) {
      for (const cl_image_format &format : formats)
        if (format.image_channel_order == order && format.image_channel_data_type == data_type)
          return true;
      return false;
    };
    for (cl_channel_type data_type : of_rgba) {
      EXPECT_TRUE(has(CL_RGBA, data_type)) << data_type;
      EXPECT_TRUE(has(CL_R, data_type)) << data_type; // for reads and writes in one kernel
      EXPECT_TRUE(has(CL_RG, data_type)) << data_type;
    }
    EXPECT_TRUE(has(CL_BGRA, CL_UNORM_INT8));
    EXPECT_TRUE(has(CL_sRGBA, CL_UNORM_INT8));
    EXPECT_EQ(has(CL_DEPTH, CL_FLOAT),
              type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    EXPECT_FALSE(has(CL_DEPTH_STENCIL, CL_FLOAT));
  }
}

} // namespace
