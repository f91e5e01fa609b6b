#include "api/opencl/image_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>

namespace lockstep::opencl {
namespace {

// The representation of a data type. `packed` means that one word contains the bits of all
// channels.
enum class Number { unorm, snorm, signed_integer, unsigned_integer, floating };
struct DataType {
  cl_channel_type type;
  Number number;
  unsigned bits;
  bool packed = false;
};
constexpr DataType data_types[] = {
    {CL_SNORM_INT8, Number::snorm, 8},
    {CL_SNORM_INT16, Number::snorm, 16},
    {CL_UNORM_INT8, Number::unorm, 8},
    {CL_UNORM_INT16, Number::unorm, 16},
    {CL_UNORM_SHORT_565, Number::unorm, 16, true},
    {CL_UNORM_SHORT_555, Number::unorm, 16, true},
    {CL_UNORM_INT_101010, Number::unorm, 32, true},
    {CL_UNORM_INT_101010_2, Number::unorm, 32, true},
    {CL_SIGNED_INT8, Number::signed_integer, 8},
    {CL_SIGNED_INT16, Number::signed_integer, 16},
    {CL_SIGNED_INT32, Number::signed_integer, 32},
    {CL_UNSIGNED_INT8, Number::unsigned_integer, 8},
    {CL_UNSIGNED_INT16, Number::unsigned_integer, 16},
    {CL_UNSIGNED_INT32, Number::unsigned_integer, 32},
    {CL_HALF_FLOAT, Number::floating, 16},
    {CL_FLOAT, Number::floating, 32},
};

constexpr cl_channel_type all_plain[] = {CL_SNORM_INT8,     CL_SNORM_INT16,   CL_UNORM_INT8,
                                         CL_UNORM_INT16,    CL_SIGNED_INT8,   CL_SIGNED_INT16,
                                         CL_SIGNED_INT32,   CL_UNSIGNED_INT8, CL_UNSIGNED_INT16,
                                         CL_UNSIGNED_INT32, CL_HALF_FLOAT,    CL_FLOAT};
constexpr cl_channel_type normalized_or_floating[] = {CL_SNORM_INT8,  CL_SNORM_INT16, CL_UNORM_INT8,
                                                      CL_UNORM_INT16, CL_HALF_FLOAT,  CL_FLOAT};
constexpr cl_channel_type all_bytes[] = {CL_SNORM_INT8, CL_UNORM_INT8, CL_SIGNED_INT8,
                                         CL_UNSIGNED_INT8};
constexpr cl_channel_type three_in_a_word[] = {CL_UNORM_SHORT_565, CL_UNORM_SHORT_555,
                                               CL_UNORM_INT_101010};
constexpr cl_channel_type four_in_a_word[] = {CL_UNORM_INT_101010_2};
constexpr cl_channel_type unorm_byte[] = {CL_UNORM_INT8};
constexpr cl_channel_type depths[] = {CL_UNORM_INT16, CL_FLOAT};
constexpr cl_channel_type depths_with_stencil[] = {CL_UNORM_INT24, CL_FLOAT};

// The channels of an element in memory order, one character each: r, g, b, a, or x for padding.
struct ChannelOrder {
  cl_channel_order order;
  const char *channels;
  std::span<const cl_channel_type> types, more_types{};
};
constexpr ChannelOrder channel_orders[] = {
    {CL_R, "r", all_plain},
    {CL_A, "a", all_plain},
    {CL_RG, "rg", all_plain},
    {CL_RA, "ra", all_plain},
    {CL_RGBA, "rgba", all_plain, four_in_a_word},
    {CL_Rx, "r", all_plain},
    {CL_RGx, "rg", all_plain},
    {CL_RGB, "rgb", three_in_a_word},
    {CL_RGBx, "rgb", three_in_a_word},
    {CL_BGRA, "bgra", all_bytes},
    {CL_ARGB, "argb", all_bytes},
    {CL_ABGR, "abgr", all_bytes},
    {CL_INTENSITY, "r", normalized_or_floating},
    {CL_LUMINANCE, "r", normalized_or_floating},
    {CL_sRGB, "rgb", unorm_byte},
    {CL_sRGBx, "rgbx", unorm_byte},
    {CL_sRGBA, "rgba", unorm_byte},
    {CL_sBGRA, "bgra", unorm_byte},
    {CL_DEPTH, "r", depths},
    {CL_DEPTH_STENCIL, "r", depths_with_stencil},
};

const ChannelOrder *find_order(cl_channel_order order) {
  auto found = std::ranges::find(channel_orders, order, &ChannelOrder::order);
  return found == std::end(channel_orders) ? nullptr : found;
}

const DataType &data_type(cl_channel_type type) {
  return *std::ranges::find(data_types, type, &DataType::type);
}

bool is_srgb(cl_channel_order order) {
  return order == CL_sRGB || order == CL_sRGBx || order == CL_sRGBA || order == CL_sBGRA;
}

// Rounds to nearest even. NaN becomes 0.
uint32_t rounded(float value, float least, float most) {
  if (std::isnan(value))
    return 0;
  return uint32_t(int32_t(std::nearbyint(std::clamp(value, least, most))));
}

uint32_t srgb(float value) {
  if (!(value > 0)) // also true for NaN
    return 0;
  const double c = std::min(double(value), 1.0);
  const double encoded = c < 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return uint32_t(std::floor(encoded * 255 + 0.5));
}

// Converts to half, rounding to nearest even.
uint32_t half_bits(float value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

uint32_t encode_channel(const DataType &type, const void *color, unsigned channel) {
  float value;
  std::memcpy(&value, static_cast<const std::byte *>(color) + channel * sizeof value, sizeof value);
  const auto integer = std::bit_cast<int32_t>(value);
  const double range = std::ldexp(1.0, int(type.bits) - 1);
  switch (type.number) {
  case Number::unorm:
    return rounded(value * float(2 * range - 1), 0, float(2 * range - 1));
  case Number::snorm:
    return rounded(value * float(range - 1), float(-range), float(range - 1));
  case Number::signed_integer:
    return uint32_t(std::clamp<int64_t>(integer, int64_t(-range), int64_t(range - 1)));
  case Number::unsigned_integer:
    return uint32_t(std::min<uint64_t>(uint32_t(integer), uint64_t(2 * range - 1)));
  case Number::floating:
    return type.bits == 16 ? half_bits(value) : uint32_t(integer);
  }
  return 0;
}

// Encodes three or four channels in one word, with the first channel in the highest bits.
uint32_t encode_word(cl_channel_type type, const float *color) {
  auto part = [&](unsigned channel, unsigned bits) {
    const float most = float((1u << bits) - 1);
    return rounded(color[channel] * most, 0, most);
  };
  switch (type) {
  case CL_UNORM_SHORT_565:
    return part(0, 5) << 11 | part(1, 6) << 5 | part(2, 5);
  case CL_UNORM_SHORT_555:
    return part(0, 5) << 10 | part(1, 5) << 5 | part(2, 5);
  case CL_UNORM_INT_101010:
    return part(0, 10) << 20 | part(1, 10) << 10 | part(2, 10);
  default:
    return part(0, 10) << 22 | part(1, 10) << 12 | part(2, 10) << 2 | part(3, 2);
  }
}

} // namespace

bool is_valid(const cl_image_format &format) {
  const ChannelOrder *order = find_order(format.image_channel_order);
  auto has = [&](std::span<const cl_channel_type> types) {
    return std::ranges::find(types, format.image_channel_data_type) != types.end();
  };
  return order && (has(order->types) || has(order->more_types));
}

bool is_supported(const cl_image_format &format, cl_mem_object_type type) {
  if (format.image_channel_order == CL_DEPTH_STENCIL) // only OpenGL interop has it
    return false;
  return format.image_channel_order != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D ||
         type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

std::vector<cl_image_format> supported_formats(cl_mem_object_type type) {
  std::vector<cl_image_format> formats;
  for (const ChannelOrder &order : channel_orders)
    for (auto types : {order.types, order.more_types})
      for (cl_channel_type data_type : types)
        if (cl_image_format format{order.order, data_type}; is_supported(format, type))
          formats.push_back(format);
  return formats;
}

size_t element_size(const cl_image_format &format) {
  const DataType &type = data_type(format.image_channel_data_type);
  const size_t channels =
      type.packed ? 1 : std::strlen(find_order(format.image_channel_order)->channels);
  return channels * type.bits / 8;
}

std::array<std::byte, 16> encode_element(const cl_image_format &format, const void *color) {
  std::array<std::byte, 16> element{};
  const DataType &type = data_type(format.image_channel_data_type);
  if (type.packed) {
    float channels[4];
    std::memcpy(channels, color, sizeof channels);
    const uint32_t word = encode_word(type.type, channels);
    std::memcpy(element.data(), &word, type.bits / 8);
    return element;
  }
  std::byte *to = element.data();
  for (const char *name = find_order(format.image_channel_order)->channels; *name;
       ++name, to += type.bits / 8) {
    // The padding of CL_sRGBx receives the fourth component; the Khronos test suite checks this.
    constexpr std::string_view names = "rgba";
    const size_t channel = *name == 'x' ? 3 : names.find(*name);
    uint32_t bits = encode_channel(type, color, unsigned(channel));
    if (is_srgb(format.image_channel_order) && channel < 3) {
      float value;
      std::memcpy(&value, static_cast<const float *>(color) + channel, sizeof value);
      bits = srgb(value);
    }
    std::memcpy(to, &bits, type.bits / 8);
  }
  return element;
}

} // namespace lockstep::opencl
