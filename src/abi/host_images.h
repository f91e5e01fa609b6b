// Functions of device_lib/images/image_access.cl compiled for the host, for SYCL's host accessors and host
// tasks. Their results equal those of kernels, bit for bit.
//
// `image`: the address of an ImageDescriptor (image_descriptor.h). `format` and `sampler` are
// numbers as defined there. `shape`: the number of dimensions.
#pragma once

#include <cstdint>

namespace lockstep::compiler::host_images {

using FloatTexel = float __attribute__((vector_size(16)));
using SignedTexel = int32_t __attribute__((vector_size(16)));
using UnsignedTexel = uint32_t __attribute__((vector_size(16)));

#define LOCKSTEP_TEXEL_FUNCTIONS(suffix, type)                                                     \
  type sample_##suffix(const void *image, uint32_t format, uint32_t sampler, uint32_t shape,       \
                       float x, float y, float z,                                                  \
                       float layer) __asm__("__lockstep_image_sample_" #suffix);                   \
  type read_##suffix(const void *image, uint32_t format, uint32_t sampler, uint32_t shape, int x,  \
                     int y, int z, int layer) __asm__("__lockstep_image_read_" #suffix);           \
  void write_##suffix(const void *image, uint32_t format, uint32_t shape, int x, int y, int z,     \
                      int layer, type value) __asm__("__lockstep_image_write_" #suffix);
LOCKSTEP_TEXEL_FUNCTIONS(f, FloatTexel)
LOCKSTEP_TEXEL_FUNCTIONS(i, SignedTexel)
LOCKSTEP_TEXEL_FUNCTIONS(u, UnsignedTexel)
#undef LOCKSTEP_TEXEL_FUNCTIONS

} // namespace lockstep::compiler::host_images
