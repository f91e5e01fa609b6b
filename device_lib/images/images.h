// Declarations that images.cl (the builtins for each image type) and image_access.cl (addressing,
// reading and writing of texels) share.
//
// An image is passed as the address of its descriptor. `format` is its channel order and data type,
// which is a constant if the compiler knows the image (specialize-images). Both are uniform across
// work-items.
#pragma once

#include "device_lib/lockstep_builtins.h"

// src/abi/image_descriptor.h declares the same structure for the host.
struct image {
  global uchar *data;
  ulong row_pitch, slice_pitch; // in bytes; a slice is also a layer of an array
  uint format;                  // channel order << 8 | data type: low bytes of OpenCL's constants
  uint width, height, depth;    // 1 for dimensions that the type does not have
  uint layers;                  // 1 unless it is an array
  uint levels; // 1 unless it is mipmapped; the descriptors of further levels follow this one
};
typedef constant const struct image *image_pointer;

#define CHANNEL_ORDER(format) ((format) >> 8 & 0xff)
#define DATA_TYPE(format) ((format) & 0xff)

// The dimensions of the coordinates (x; x and y; or all three), and a flag for the layer of an
// array.
#define DIMENSIONS(shape) ((shape) & 3)
#define LAYERED 4u

// A primitive of the lanes stage (docs/kernel_ir.md). Only the first argument has a meaning here.
// The compiler freezes it.
#if defined(LOCKSTEP_FOR_HOST) // src/abi/host_images.h: one work-item
#define EVERYWHERE(condition) (condition)
#elif defined(                                                                                     \
    LOCKSTEP_FOR_GPU) // each work-item loads its own texels: a second path costs only code
#define EVERYWHERE(condition) ((condition) & false)
#else
PURE bool __lockstep_all_lanes(bool condition, ulong first, ulong bound, ulong last,
                               uint predicate);
#define EVERYWHERE(condition) __lockstep_all_lanes(condition, 0, 0, 0, 0)
#endif

PURE uint __lockstep_image_format(image_pointer image);

// Defined in image_access.cl, which is linked and inlined when the formats are known
// (specialize-images).
#define IMAGE image_pointer, uint format
#define AT(type) type x, type y, type z, type layer
float4 __lockstep_image_sample_f(IMAGE, uint sampler, uint shape, AT(float));
int4 __lockstep_image_sample_i(IMAGE, uint sampler, uint shape, AT(float));
uint4 __lockstep_image_sample_u(IMAGE, uint sampler, uint shape, AT(float));
float4 __lockstep_image_read_f(IMAGE, uint sampler, uint shape, AT(int));
int4 __lockstep_image_read_i(IMAGE, uint sampler, uint shape, AT(int));
uint4 __lockstep_image_read_u(IMAGE, uint sampler, uint shape, AT(int));
// Samples at level of detail `lod`, or between two levels.
float4 __lockstep_image_sample_level_f(IMAGE, uint sampler, uint shape, AT(float), float lod);
int4 __lockstep_image_sample_level_i(IMAGE, uint sampler, uint shape, AT(float), float lod);
uint4 __lockstep_image_sample_level_u(IMAGE, uint sampler, uint shape, AT(float), float lod);
void __lockstep_image_write_f(IMAGE, uint shape, AT(int), float4 value);
void __lockstep_image_write_i(IMAGE, uint shape, AT(int), int4 value);
void __lockstep_image_write_u(IMAGE, uint shape, AT(int), uint4 value);
// The format says whether the integers have a sign.
void __lockstep_image_write_any(IMAGE, uint shape, AT(int), int4 value);
// Reads or writes the word at byte x of row y, as stored in memory.
uint __lockstep_image_word_read(IMAGE, int x, int y);
void __lockstep_image_word_write(IMAGE, int x, int y, uint value);
#undef IMAGE
#undef AT
