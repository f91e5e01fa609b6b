// What images.cl (the builtins, one for each image type) and image_access.cl (how a texel is found, read and written)
// agree on.
//
// An image is passed as the address of its descriptor; `format` is its channel order and data type, which the compiler
// knows where it knows the image (specialize-images). Both are the same for all work-items.
#pragma once

#include "lockstep_builtins.h"

// src/abi/image_descriptor.h has the same for the host.
struct image {
  global uchar *data;
  ulong row_pitch, slice_pitch; // bytes; a layer of an array is a slice
  uint format;                  // channel order << 8 | data type: low bytes of OpenCL's numbers
  uint width, height, depth;    // 1 where the type has no such dimension
  uint layers;                  // of an array, else 1
  uint levels; // of a mipmapped image, else 1; the descriptors of the others follow this one
};
typedef constant const struct image *image_pointer;

#define CHANNEL_ORDER(format) ((format) >> 8 & 0xff)
#define DATA_TYPE(format) ((format) & 0xff)

// Of which dimensions `at` speaks: x, or x and y, or all three; and, as a flag, the layer of an array.
#define DIMENSIONS(shape) ((shape) & 3)
#define LAYERED 4u

// A primitive of the lanes stage (docs/kernel_ir.md): only the first argument counts here. The compiler freezes it.
#ifdef LOCKSTEP_FOR_HOST // src/abi/host_images.h: one work-item
#define EVERYWHERE(condition) (condition)
#else
PURE bool __lockstep_all_lanes(bool condition, ulong first, ulong bound, ulong last,
                               uint predicate);
#define EVERYWHERE(condition) __lockstep_all_lanes(condition, 0, 0, 0, 0)
#endif

PURE uint __lockstep_image_format(image_pointer image);

// Defined in image_access.cl, which is linked and inlined when the formats are known (specialize-images).
#define IMAGE image_pointer, uint format
#define AT(type) type x, type y, type z, type layer
float4 __lockstep_image_sample_f(IMAGE, uint sampler, uint shape, AT(float));
int4 __lockstep_image_sample_i(IMAGE, uint sampler, uint shape, AT(float));
uint4 __lockstep_image_sample_u(IMAGE, uint sampler, uint shape, AT(float));
float4 __lockstep_image_read_f(IMAGE, uint sampler, uint shape, AT(int));
int4 __lockstep_image_read_i(IMAGE, uint sampler, uint shape, AT(int));
uint4 __lockstep_image_read_u(IMAGE, uint sampler, uint shape, AT(int));
// From the level of detail `lod`, or between two.
float4 __lockstep_image_sample_level_f(IMAGE, uint sampler, uint shape, AT(float), float lod);
int4 __lockstep_image_sample_level_i(IMAGE, uint sampler, uint shape, AT(float), float lod);
uint4 __lockstep_image_sample_level_u(IMAGE, uint sampler, uint shape, AT(float), float lod);
void __lockstep_image_write_f(IMAGE, uint shape, AT(int), float4 value);
void __lockstep_image_write_i(IMAGE, uint shape, AT(int), int4 value);
void __lockstep_image_write_u(IMAGE, uint shape, AT(int), uint4 value);
// The word at byte x of row y, as it lies in memory.
uint __lockstep_image_word_read(IMAGE, int x, int y);
void __lockstep_image_word_write(IMAGE, int x, int y, uint value);
#undef IMAGE
#undef AT
