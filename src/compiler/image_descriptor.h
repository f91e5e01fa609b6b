// What machine code is told about an image: the argument of a kernel is the address of this. device_lib/images.h has the
// same.
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
};
static_assert(sizeof(ImageDescriptor) == 48 && offsetof(ImageDescriptor, format) == 24);

// Channel order and data type in one number that is not 0: the low bytes of OpenCL's numbers.
constexpr uint32_t image_format(uint32_t channel_order, uint32_t data_type) {
  return (channel_order & 0xff) << 8 | (data_type & 0xff);
}

// A sampler as a number, with the bits of CLK_NORMALIZED_COORDS_TRUE, CLK_ADDRESS_... and CLK_FILTER_.... A sampler
// object always has a filter, so it is never 0.
enum SamplerBits : uint32_t {
  sampler_normalised = 1,
  sampler_clamp_to_edge = 2,
  sampler_clamp = 4,
  sampler_repeat = 6,
  sampler_mirrored_repeat = 8,
  sampler_nearest = 0x10,
  sampler_linear = 0x20,
};

} // namespace lockstep::compiler
