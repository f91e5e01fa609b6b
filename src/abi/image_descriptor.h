// Image descriptor: an image argument of a kernel is the address of this struct.
// device_lib/images/images.h declares the same layout. A mipmapped image has one descriptor for each
// level, in order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::compiler {

struct ImageDescriptor {
  std::byte *data = nullptr;
  uint64_t row_pitch = 0, slice_pitch = 0; // bytes; a layer of an array is a slice
  uint32_t format = 0;                     // image_format()
  uint32_t width = 1, height = 1, depth = 1;
  uint32_t layers = 1;
  uint32_t levels = 1; // of the whole image; code reads it only in the descriptor of level 0
};
static_assert(sizeof(ImageDescriptor) == 48 && offsetof(ImageDescriptor, format) == 24 &&
              offsetof(ImageDescriptor, levels) == 44);

// Size in bytes of the pitch or extent at this offset; 0: another member.
constexpr uint32_t size_of_image_word(uint32_t offset) {
  if (offset == offsetof(ImageDescriptor, row_pitch) ||
      offset == offsetof(ImageDescriptor, slice_pitch))
    return 8;
  const bool is_size =
      offset >= offsetof(ImageDescriptor, width) && offset <= offsetof(ImageDescriptor, layers);
  return is_size && offset % 4 == 0 ? 4 : 0;
}

// Channel order and data type as one number that is not 0: the low bytes of OpenCL's numbers.
constexpr uint32_t image_format(uint32_t channel_order, uint32_t data_type) {
  return (channel_order & 0xff) << 8 | (data_type & 0xff);
}

// A sampler as a number, with the bits of CLK_NORMALIZED_COORDS_TRUE, CLK_ADDRESS_... and
// CLK_FILTER_.... A sampler object always has a filter, so the number is never 0.
enum SamplerBits : uint32_t {
  sampler_normalized = 1,
  sampler_clamp_to_edge = 2,
  sampler_clamp = 4,
  sampler_repeat = 6,
  sampler_mirrored_repeat = 8,
  sampler_nearest = 0x10,
  sampler_linear = 0x20,
  sampler_mixes_levels = 0x40, // mipmapped images: blends the two nearest levels
};

// The minimum and maximum level of detail of a sampler, in 256ths, 12 bits each. A sampler without
// limits, such as one in the source of a program, has zeros here.
inline constexpr unsigned lod_steps = 256, most_lod_steps = 0xfff;
constexpr uint32_t sampler_lod_range(uint32_t least_steps, uint32_t last_steps) {
  return least_steps << 8 | (most_lod_steps - last_steps) << 20;
}

} // namespace lockstep::compiler
