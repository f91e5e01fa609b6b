// A model of images, written from the specification (OpenCL C 3.0, "Image Addressing and
// Filtering"; API section 5.3.1.1). It defines formats bit by bit, and the formulas of samplers. It
// is plain C++ that shares nothing with the device library.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::test {

using Color = std::array<float, 4>; // red, green, blue, alpha
using Integers = std::array<int64_t, 4>;

enum class Kind { floating, signed_integer, unsigned_integer };

// One channel of a format: its component (0 to 3: red, green, blue, alpha; 4: none), and its
// position in an element.
struct Channel {
  int component;
  unsigned first_bit, bits;
};

struct Format {
  cl_image_format cl;
  std::vector<Channel> channels;
  unsigned bytes = 0;
  Kind kind = Kind::floating;

  explicit Format(const cl_image_format &format);
  bool is_normalized_unsigned() const;
  bool is_normalized_signed() const;
  bool is_srgb() const;

  Color color(const std::byte *element) const;                    // read_imagef
  Integers integers(const std::byte *element) const;              // read_imagei, read_imageui
  std::vector<std::byte> element(const Color &color) const;       // write_imagef
  std::vector<std::byte> element(const Integers &integers) const; // write_imagei, write_imageui
  float border_alpha() const;
  // Clears the padding bits, which may have any value.
  std::vector<std::byte> without_padding(const std::byte *element) const;

private:
  uint64_t bits(const std::byte *element, const Channel &channel) const;
};

struct Sampling {
  bool normalized;
  cl_addressing_mode addressing;
  bool linear;
};

// An image of 1 to 3 dimensions, or an array of images, with texels converted to colors.
struct Texels {
  int dimensions;
  std::array<int, 3> size; // 1 beyond the dimensions
  int layers = 1;
  bool layered = false;
  float border_alpha = 0;
  std::vector<Color> colors; // layer, z, y, x

  // `at`: one coordinate per dimension, then the layer.
  Color sample(const Sampling &sampling, const std::array<float, 4> &at) const;
  Color read(const Sampling &sampling, const std::array<int, 4> &at) const;

private:
  Color texel(int x, int y, int z, int layer) const; // the border color if outside
};

} // namespace lockstep::test
