#include "image_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace lockstep::test {
namespace {

// Returns the bits per channel, or 0 if the channels are packed.
unsigned plain_bits(cl_channel_type type) {
  switch (type) {
  case CL_SNORM_INT8:
  case CL_UNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8:
    return 8;
  case CL_SNORM_INT16:
  case CL_UNORM_INT16:
  case CL_SIGNED_INT16:
  case CL_UNSIGNED_INT16:
  case CL_HALF_FLOAT:
    return 16;
  case CL_SIGNED_INT32:
  case CL_UNSIGNED_INT32:
  case CL_FLOAT:
    return 32;
  default:
    return 0;
  }
}

// Returns the channels in memory order. "i": all four components; "l": red, green and blue.
std::string letters(cl_channel_order order) {
  switch (order) {
  case CL_R:
  case CL_Rx:
  case CL_DEPTH:
    return "r";
  case CL_A:
    return "a";
  case CL_RG:
  case CL_RGx:
    return "rg";
  case CL_RA:
    return "ra";
  case CL_RGB:
  case CL_RGBx:
  case CL_sRGB:
    return "rgb";
  case CL_sRGBx:
    return "rgbx";
  case CL_BGRA:
  case CL_sBGRA:
    return "bgra";
  case CL_ARGB:
    return "argb";
  case CL_ABGR:
    return "abgr";
  case CL_INTENSITY:
    return "i";
  case CL_LUMINANCE:
    return "l";
  default:
    return "rgba";
  }
}

int component(char letter) {
  const size_t found = std::string("rgba").find(letter);
  return found == std::string::npos ? (letter == 'x' ? 4 : 0) : int(found);
}

float half_to_float(uint64_t bits) {
  const double sign = bits & 0x8000 ? -1 : 1;
  const int exponent = int(bits >> 10 & 31), fraction = int(bits & 0x3ff);
  if (exponent == 31)
    return fraction ? NAN : float(sign * INFINITY);
  return float(sign *
               (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24)));
}

// Searches all halves; rounds to nearest even.
uint64_t float_to_half(float value) {
  if (std::isnan(value))
    return 0x7e00;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  uint64_t low = 0, high = 0x7c00; // the value of low is at most the size
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (half_to_float(middle) <= size ? low : high) = middle;
  }
  const double below = half_to_float(low), above = high == 0x7c00 ? 65536.0 : half_to_float(high);
  if (size >= above)
    return sign | high;
  const double distance = size - below, other = above - size;
  return sign | (distance < other || (distance == other && low % 2 == 0) ? low : high);
}

int64_t sign_extended(uint64_t bits, unsigned count) {
  return int64_t(bits << (64 - count)) >> (64 - count);
}

float linear(double c) {
  return float(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

uint64_t rounded(float value, double least, double most) {
  if (std::isnan(value))
    return 0;
  return uint64_t(int64_t(std::nearbyint(std::clamp(double(value), least, most))));
}

} // namespace

Format::Format(const cl_image_format &format) : cl(format) {
  const cl_channel_type type = format.image_channel_data_type;
  switch (type) {
  case CL_UNORM_SHORT_565:
    channels = {{0, 11, 5}, {1, 5, 6}, {2, 0, 5}};
    bytes = 2;
    return;
  case CL_UNORM_SHORT_555:
    channels = {{0, 10, 5}, {1, 5, 5}, {2, 0, 5}};
    bytes = 2;
    return;
  case CL_UNORM_INT_101010:
    channels = {{0, 20, 10}, {1, 10, 10}, {2, 0, 10}};
    bytes = 4;
    return;
  case CL_UNORM_INT_101010_2:
    channels = {{0, 22, 10}, {1, 12, 10}, {2, 2, 10}, {3, 0, 2}};
    bytes = 4;
    return;
  default:
    break;
  }
  const unsigned each = plain_bits(type);
  unsigned first = 0;
  for (char letter : letters(format.image_channel_order)) {
    channels.push_back({component(letter), first, each});
    first += each;
  }
  bytes = first / 8;
  if (type == CL_SIGNED_INT8 || type == CL_SIGNED_INT16 || type == CL_SIGNED_INT32)
    kind = Kind::signed_integer;
  if (type == CL_UNSIGNED_INT8 || type == CL_UNSIGNED_INT16 || type == CL_UNSIGNED_INT32)
    kind = Kind::unsigned_integer;
}

bool Format::is_normalized_signed() const {
  return cl.image_channel_data_type == CL_SNORM_INT8 ||
         cl.image_channel_data_type == CL_SNORM_INT16;
}

bool Format::is_normalized_unsigned() const {
  return kind == Kind::floating && !is_normalized_signed() &&
         cl.image_channel_data_type != CL_HALF_FLOAT && cl.image_channel_data_type != CL_FLOAT;
}

bool Format::is_srgb() const {
  const cl_channel_order order = cl.image_channel_order;
  return order == CL_sRGB || order == CL_sRGBx || order == CL_sRGBA || order == CL_sBGRA;
}

uint64_t Format::bits(const std::byte *element, const Channel &channel) const {
  unsigned __int128 whole = 0;
  std::memcpy(&whole, element, bytes);
  return uint64_t(whole >> channel.first_bit) & ((uint64_t{1} << channel.bits) - 1);
}

Color Format::color(const std::byte *element) const {
  Color color{0, 0, 0, 1};
  if (cl.image_channel_order == CL_A)
    color[3] = 0;
  for (const Channel &channel : channels) {
    if (channel.component == 4)
      continue;
    const uint64_t raw = bits(element, channel);
    const auto largest = float((uint64_t{1} << channel.bits) - 1);
    float value;
    if (is_srgb() && channel.component < 3)
      value = linear(double(raw) / 255);
    else if (is_normalized_unsigned())
      value = float(raw) / largest;
    else if (is_normalized_signed())
      value = std::max(-1.0f, float(sign_extended(raw, channel.bits)) /
                                  float((uint64_t{1} << (channel.bits - 1)) - 1));
    else if (channel.bits == 16)
      value = half_to_float(raw);
    else
      value = std::bit_cast<float>(uint32_t(raw));
    color[size_t(channel.component)] = value;
  }
  if (cl.image_channel_order == CL_INTENSITY || cl.image_channel_order == CL_LUMINANCE)
    color = {color[0], color[0], color[0],
             cl.image_channel_order == CL_INTENSITY ? color[0] : 1.0f};
  return color;
}

Integers Format::integers(const std::byte *element) const {
  Integers integers{0, 0, 0, cl.image_channel_order == CL_A ? 0 : 1};
  for (const Channel &channel : channels) {
    const uint64_t raw = bits(element, channel);
    integers[size_t(channel.component)] =
        kind == Kind::signed_integer ? sign_extended(raw, channel.bits) : int64_t(raw);
  }
  return integers;
}

namespace {

std::vector<std::byte> assemble(const Format &format, auto encode) {
  std::vector<std::byte> element(format.bytes);
  for (const Channel &channel : format.channels) {
    if (channel.component == 4)
      continue;
    const uint64_t raw = encode(channel);
    for (unsigned bit = 0; bit < channel.bits; ++bit) {
      const unsigned at = channel.first_bit + bit;
      element[at / 8] |= std::byte((raw >> bit & 1) << at % 8);
    }
  }
  return element;
}

} // namespace

std::vector<std::byte> Format::element(const Color &color) const {
  return assemble(*this, [&](const Channel &channel) -> uint64_t {
    const float value = color[size_t(channel.component)];
    const auto largest = float((uint64_t{1} << channel.bits) - 1);
    if (is_srgb() && channel.component < 3) {
      const double c = value > 0 ? std::min(double(value), 1.0) : 0.0;
      const double code = c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
      return uint64_t(std::floor(code * 255 + 0.5));
    }
    if (is_normalized_unsigned())
      return rounded(value * largest, 0, largest);
    if (is_normalized_signed()) {
      const double top = std::ldexp(1.0, int(channel.bits) - 1);
      return rounded(value * float(top - 1), -top, top - 1);
    }
    return channel.bits == 16 ? float_to_half(value) : std::bit_cast<uint32_t>(value);
  });
}

std::vector<std::byte> Format::element(const Integers &integers) const {
  return assemble(*this, [&](const Channel &channel) {
    const int64_t span = int64_t{1} << channel.bits;
    const int64_t least = kind == Kind::signed_integer ? -span / 2 : 0;
    return uint64_t(std::clamp(integers[size_t(channel.component)], least, least + span - 1));
  });
}

std::vector<std::byte> Format::without_padding(const std::byte *element) const {
  return assemble(*this, [&](const Channel &channel) { return bits(element, channel); });
}

float Format::border_alpha() const {
  switch (cl.image_channel_order) {
  case CL_R:
  case CL_RG:
  case CL_RGB:
  case CL_LUMINANCE:
  case CL_sRGB:
    return 1;
  default:
    return 0;
  }
}

// ---- samplers

Color Texels::texel(int x, int y, int z, int layer) const {
  if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2])
    return {0, 0, 0, border_alpha};
  return colors[size_t(((layer * size[2] + z) * size[1] + y) * size[0] + x)];
}

namespace {

// Applies address_mode of the specification's table to a coordinate that may be far outside.
int addressed(cl_addressing_mode mode, double coordinate, int size) {
  if (mode == CL_ADDRESS_CLAMP)
    return int(std::clamp(coordinate, -1.0, double(size)));
  return int(std::clamp(coordinate, 0.0, double(size - 1))); // NONE: defined inside only
}

struct Axis {
  int near = 0, first = 0, second = 0;
  float fraction = 0;
};

Axis locate(const Sampling &sampling, float s, int size) {
  Axis axis;
  const auto width = float(size);
  if (sampling.addressing == CL_ADDRESS_REPEAT) {
    const float u = (s - std::floor(s)) * width;
    axis.near = int(std::floor(u));
    if (axis.near > size - 1)
      axis.near -= size;
    axis.first = int(std::floor(u - 0.5f));
    axis.second = axis.first + 1;
    if (axis.first < 0)
      axis.first += size;
    if (axis.second > size - 1)
      axis.second -= size;
    axis.fraction = (u - 0.5f) - std::floor(u - 0.5f);
    return axis;
  }
  if (sampling.addressing == CL_ADDRESS_MIRRORED_REPEAT) {
    const float u = std::fabs(s - 2.0f * std::rint(0.5f * s)) * width;
    axis.near = std::min(int(std::floor(u)), size - 1);
    axis.first = std::max(int(std::floor(u - 0.5f)), 0);
    axis.second = std::min(int(std::floor(u - 0.5f)) + 1, size - 1);
    axis.fraction = (u - 0.5f) - std::floor(u - 0.5f);
    return axis;
  }
  const float u = sampling.normalized ? s * width : s, v = u - 0.5f;
  axis.near = addressed(sampling.addressing, std::floor(u), size);
  axis.first = addressed(sampling.addressing, std::floor(v), size);
  axis.second = addressed(sampling.addressing, double(std::floor(v)) + 1, size);
  axis.fraction = v - std::floor(v);
  return axis;
}

} // namespace

Color Texels::sample(const Sampling &sampling, const std::array<float, 4> &at) const {
  Axis axes[3];
  for (int d = 0; d < dimensions; ++d)
    axes[d] = locate(sampling, at[size_t(d)], size[size_t(d)]);
  int layer = 0;
  if (layered)
    layer = int(std::clamp(std::rint(at[size_t(dimensions)]), 0.0f, float(layers - 1)));
  if (!sampling.linear)
    return texel(axes[0].near, axes[1].near, axes[2].near, layer);
  // The sum of the specification: the first coordinate changes fastest.
  Color sum{};
  for (unsigned corner = 0; corner < 1u << dimensions; ++corner) {
    int place[3] = {0, 0, 0};
    float weight = 0;
    for (int d = 0; d < dimensions; ++d) {
      const bool second = corner >> d & 1;
      place[d] = second ? axes[d].second : axes[d].first;
      const float factor = second ? axes[d].fraction : 1 - axes[d].fraction;
      weight = d == 0 ? factor : weight * factor;
    }
    const Color color = texel(place[0], place[1], place[2], layer);
    for (size_t i = 0; i < 4; ++i) {
      volatile float product = weight * color[i]; // rounds, so that the compiler cannot fuse
      sum[i] = corner == 0 ? product : sum[i] + product;
    }
  }
  return sum;
}

Color Texels::read(const Sampling &sampling, const std::array<int, 4> &at) const {
  int place[3] = {0, 0, 0};
  for (int d = 0; d < dimensions; ++d)
    place[d] = addressed(sampling.addressing, at[size_t(d)], size[size_t(d)]);
  const int layer = layered ? std::clamp(at[size_t(dimensions)], 0, layers - 1) : 0;
  return texel(place[0], place[1], place[2], layer);
}

} // namespace lockstep::test
