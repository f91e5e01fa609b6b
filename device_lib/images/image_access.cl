// How texels are addressed, read and written (OpenCL C 3.0, "Image Addressing and Filtering").
//
// These functions are not in the library that is linked into kernels. specialize-images links them
// when the formats, shapes and samplers of a kernel's calls are constants, and inlines them, so
// that one case of each switch remains. For an unknown format the switches remain; they are uniform
// across work-items.
//
// Everything is computed as the specification writes it, in the same order and without contraction,
// so that the same formulas in a program give the same bits. A coordinate is clamped as a
// floating-point number before it becomes an integer, which handles NaN and infinity. Texels
// outside of the image are neither read nor written, whatever the sampler specifies.
#include "device_lib/images/images.h"
#include "device_lib/images/texel_channels.h"

// ---- texels

// Channel 3 is alpha for all encodings that treat alpha differently, because their orders have it
// last.
PART float4 decode_f(uint4 bits, uint format) {
  return from_memory((float4)(to_float(bits.x, format, 0), to_float(bits.y, format, 1), to_float(bits.z, format, 2),
                              to_float(bits.w, format, 3)),
                     format);
}
PART int4 decode_i(uint4 bits, uint format) {
  return from_memory((int4)(to_signed(bits.x, format), to_signed(bits.y, format), to_signed(bits.z, format),
                            to_signed(bits.w, format)),
                     format);
}
PART uint4 decode_u(uint4 bits, uint format) {
  return from_memory(bits, format);
}

// The address of a texel inside of the image. Gathers and scatters extend indices as signed numbers.
// For loads of contiguous memory, `address_of_all` extends the coordinates as the checks of the bounds
// do, so that both use the same 64-bit number.
#define ADDRESS(name, narrow, wide)                                                                                    \
  PART global uchar *name(image_pointer image, uint format, uint shape, int x, int y, int z, int layer) {              \
    global uchar *row = image->data;                                                                                   \
    if (DIMENSIONS(shape) >= 2)                                                                                        \
      row += (wide)(narrow)y * (wide)image->row_pitch;                                                                 \
    if (DIMENSIONS(shape) == 3)                                                                                        \
      row += (wide)(narrow)z * (wide)image->slice_pitch;                                                               \
    if (shape & LAYERED)                                                                                               \
      row += (wide)(narrow)layer * (wide)image->slice_pitch;                                                           \
    return row + (wide)(narrow)x * (wide)texel_bytes(format);                                                          \
  }
ADDRESS(address, int, long)
ADDRESS(address_of_all, uint, ulong)

FOLDED int into_range(int i, uint size) {
  int last = (int)size - 1;
  i = i > 0 ? i : 0;
  return i < last ? i : last;
}

FOLDED bool is_inside(int i, uint size) {
  return (uint)i < size;
}

FOLDED bool is_inside(image_pointer image, uint shape, int x, int y, int z) {
  bool inside = is_inside(x, image->width);
  if (DIMENSIONS(shape) >= 2)
    inside &= is_inside(y, image->height);
  if (DIMENSIONS(shape) == 3)
    inside &= is_inside(z, image->depth);
  return inside;
}

FOLDED uint4 load_bits_in_range(image_pointer image, uint format, uint shape, int x, int y, int z, int layer) {
  const global uchar *p = address(image, format, shape, into_range(x, image->width),
                                  DIMENSIONS(shape) >= 2 ? into_range(y, image->height) : 0,
                                  DIMENSIONS(shape) == 3 ? into_range(z, image->depth) : 0, layer);
  return load_bits((const generic uchar *)p, format);
}

// Returns whether the address is inside for all work-items that run together. Then neighbors access
// contiguous memory, which the compiler cannot see from a clamped index. The other path uses
// generic addresses, only to keep LLVM from merging the two accesses into one with a selected
// address.
FOLDED bool all_inside(image_pointer image, uint shape, int x, int y, int z) {
  bool inside = EVERYWHERE(is_inside(x, image->width));
  if (DIMENSIONS(shape) >= 2)
    inside &= EVERYWHERE(is_inside(y, image->height));
  if (DIMENSIONS(shape) == 3)
    inside &= EVERYWHERE(is_inside(z, image->depth));
  return inside;
}

// Returns the texel at the address; outside of the image, the edge texel or the border color.
// `near`: neighboring work-items are expected to read neighboring texels.
#define TEXEL(type, suffix, one)                                                                                       \
  PART type##4 texel_##suffix(image_pointer image, uint format, uint shape, bool border, bool near, int x, int y,      \
                              int z, int layer) {                                                                      \
    uint4 bits;                                                                                                        \
    bool outside = false;                                                                                              \
    if (near && all_inside(image, shape, x, y, z)) {                                                                   \
      bits = load_bits(address_of_all(image, format, shape, x, y, z, layer), format);                                  \
    } else {                                                                                                           \
      bits = load_bits_in_range(image, format, shape, x, y, z, layer);                                                 \
      outside = !is_inside(image, shape, x, y, z);                                                                     \
    }                                                                                                                  \
    type##4 color = decode_##suffix(bits, format);                                                                     \
    return border && outside ? (type##4)(0, 0, 0, has_opaque_border(format) ? one : 0) : color;                        \
  }
TEXEL(float, f, 1.0f)
TEXEL(int, i, 1)
TEXEL(uint, u, 1u)

// ---- integer coordinates

#define IS_NORMALIZED(sampler) ((sampler) & CLK_NORMALIZED_COORDS_TRUE)
#define ADDRESSING(sampler) ((sampler) & 0xe)
#define IS_LINEAR(sampler) ((sampler) & CLK_FILTER_LINEAR)
#define HAS_BORDER(sampler) (ADDRESSING(sampler) == CLK_ADDRESS_CLAMP)

#define READ(type, suffix)                                                                                             \
  type##4 __lockstep_image_read_##suffix(image_pointer image, uint format, uint sampler, uint shape, int x, int y,     \
                                         int z, int layer) {                                                           \
    layer = shape & LAYERED ? into_range(layer, image->layers) : 0;                                                    \
    return texel_##suffix(image, format, shape, HAS_BORDER(sampler), true, x, y, z, layer);                                  \
  }
READ(float, f)
READ(int, i)
READ(uint, u)

#define WRITE(type, suffix, code)                                                                                      \
  void __lockstep_image_write_##suffix(image_pointer image, uint format, uint shape, int x, int y, int z, int layer,   \
                                       type##4 value) {                                                                \
    bool inside_x = is_inside(x, image->width), inside = true;                                                         \
    if (DIMENSIONS(shape) >= 2)                                                                                        \
      inside &= is_inside(y, image->height);                                                                           \
    if (DIMENSIONS(shape) == 3)                                                                                        \
      inside &= is_inside(z, image->depth);                                                                            \
    if (shape & LAYERED)                                                                                               \
      inside &= is_inside(layer, image->layers);                                                                       \
    type##4 c = into_memory(value, format);                                                                            \
    uint4 bits = (uint4)(code(c.x, 0), code(c.y, 1), code(c.z, 2), code(c.w, 3));                                      \
    global uchar *p = address(image, format, shape, x, y, z, layer);                                                   \
    if (EVERYWHERE(inside_x) & EVERYWHERE(inside))                                                                     \
      store_bits(p, format, bits);                                                                                     \
    else if (inside_x & inside)                                                                                        \
      store_bits((generic uchar *)p, format, bits);                                                                    \
  }
#define CODE_F(value, channel) from_float(value, format, channel)
#define CODE_I(value, channel) from_signed(value, format)
#define CODE_U(value, channel) from_unsigned(value, format)
#define CODE_ANY(value, channel) from_number(value, format)
WRITE(float, f, CODE_F)
WRITE(int, i, CODE_I)
WRITE(uint, u, CODE_U)
WRITE(int, any, CODE_ANY)

// ---- floating-point coordinates

// Clamps a number to a range whose bounds are integers. NaN becomes the lower bound.
FOLDED float clamped(float value, float least, float most) {
  value = value > least ? value : least;
  return value < most ? value : most;
}

FOLDED float rounded_down(float value) {
  return __builtin_elementwise_floor(value);
}

// Maps a normalized coordinate of a repeating image to a coordinate in the image.
PART float unrepeated(uint sampler, float s, float size) {
  if (ADDRESSING(sampler) == CLK_ADDRESS_REPEAT)
    return (s - rounded_down(s)) * size;
  float nearest_seam = 2.0f * __builtin_elementwise_roundeven(0.5f * s);
  return __builtin_elementwise_abs(s - nearest_seam) * size;
}

FOLDED bool repeats(uint sampler) {
  return ADDRESSING(sampler) == CLK_ADDRESS_REPEAT || ADDRESSING(sampler) == CLK_ADDRESS_MIRRORED_REPEAT;
}

// Returns the index of the nearest texel; -1 or `texels` if it is outside.
PART int nearest(uint sampler, float s, uint texels) {
  float size = texels;
  if (repeats(sampler)) {
    float u = rounded_down(unrepeated(sampler, s, size));
    if (ADDRESSING(sampler) == CLK_ADDRESS_REPEAT)
      u = u > size - 1 ? u - size : u;
    return (int)clamped(u, 0, size - 1);
  }
  float u = rounded_down(IS_NORMALIZED(sampler) ? s * size : s);
  return (int)clamped(u, -1, size);
}

// The two texels to interpolate, and the distance from the first one as a fraction.
struct between {
  int first, second;
  float fraction;
};

PART struct between linear(uint sampler, float s, uint texels) {
  float size = texels;
  struct between place;
  if (repeats(sampler)) {
    float u = unrepeated(sampler, s, size) - 0.5f, first = rounded_down(u), second = first + 1;
    place.fraction = u - first;
    if (ADDRESSING(sampler) == CLK_ADDRESS_REPEAT) {
      first = first < 0 ? size + first : first;
      second = second > size - 1 ? second - size : second;
    }
    place.first = (int)clamped(first, 0, size - 1);
    place.second = (int)clamped(second, 0, size - 1);
    return place;
  }
  float u = (IS_NORMALIZED(sampler) ? s * size : s) - 0.5f, first = rounded_down(u);
  place.fraction = u - first;
  place.first = (int)clamped(first, -1, size);
  place.second = (int)clamped(first + 1, -1, size);
  return place;
}

PART int nearest_layer(image_pointer image, float layer) {
  return (int)clamped(__builtin_elementwise_roundeven(layer), 0, (float)image->layers - 1);
}

#define SAMPLE_NEAREST(type, suffix)                                                                                   \
  PART type##4 sample_nearest_##suffix(image_pointer image, uint format, uint sampler, uint shape, float x, float y,   \
                                       float z, int layer) {                                                           \
    return texel_##suffix(image, format, shape, HAS_BORDER(sampler), false, nearest(sampler, x, image->width),                \
                          DIMENSIONS(shape) >= 2 ? nearest(sampler, y, image->height) : 0,                             \
                          DIMENSIONS(shape) == 3 ? nearest(sampler, z, image->depth) : 0, layer);                      \
  }
SAMPLE_NEAREST(float, f)
SAMPLE_NEAREST(int, i)
SAMPLE_NEAREST(uint, u)

PART float4 sample_linear_1(image_pointer image, uint format, uint sampler, uint shape, float x, int layer) {
  bool border = HAS_BORDER(sampler);
  struct between u = linear(sampler, x, image->width);
  float a = u.fraction;
  return (1 - a) * texel_f(image, format, shape, border, false, u.first, 0, 0, layer) +
         a * texel_f(image, format, shape, border, false, u.second, 0, 0, layer);
}

PART float4 sample_linear_2(image_pointer image, uint format, uint sampler, uint shape, float x, float y, int layer) {
  bool border = HAS_BORDER(sampler);
  struct between u = linear(sampler, x, image->width), v = linear(sampler, y, image->height);
  float a = u.fraction, b = v.fraction;
  return (1 - a) * (1 - b) * texel_f(image, format, shape, border, false, u.first, v.first, 0, layer) +
         a * (1 - b) * texel_f(image, format, shape, border, false, u.second, v.first, 0, layer) +
         (1 - a) * b * texel_f(image, format, shape, border, false, u.first, v.second, 0, layer) +
         a * b * texel_f(image, format, shape, border, false, u.second, v.second, 0, layer);
}

PART float4 sample_linear_3(image_pointer image, uint format, uint sampler, uint shape, float x, float y, float z) {
  bool border = HAS_BORDER(sampler);
  struct between u = linear(sampler, x, image->width), v = linear(sampler, y, image->height),
                 w = linear(sampler, z, image->depth);
  float a = u.fraction, b = v.fraction, c = w.fraction;
  return (1 - a) * (1 - b) * (1 - c) * texel_f(image, format, shape, border, false, u.first, v.first, w.first, 0) +
         a * (1 - b) * (1 - c) * texel_f(image, format, shape, border, false, u.second, v.first, w.first, 0) +
         (1 - a) * b * (1 - c) * texel_f(image, format, shape, border, false, u.first, v.second, w.first, 0) +
         a * b * (1 - c) * texel_f(image, format, shape, border, false, u.second, v.second, w.first, 0) +
         (1 - a) * (1 - b) * c * texel_f(image, format, shape, border, false, u.first, v.first, w.second, 0) +
         a * (1 - b) * c * texel_f(image, format, shape, border, false, u.second, v.first, w.second, 0) +
         (1 - a) * b * c * texel_f(image, format, shape, border, false, u.first, v.second, w.second, 0) +
         a * b * c * texel_f(image, format, shape, border, false, u.second, v.second, w.second, 0);
}

float4 __lockstep_image_sample_f(image_pointer image, uint format, uint sampler, uint shape, float x, float y, float z,
                                 float layer_at) {
  int layer = shape & LAYERED ? nearest_layer(image, layer_at) : 0;
  if (!IS_LINEAR(sampler))
    return sample_nearest_f(image, format, sampler, shape, x, y, z, layer);
  switch (DIMENSIONS(shape)) {
  case 1:
    return sample_linear_1(image, format, sampler, shape, x, layer);
  case 2:
    return sample_linear_2(image, format, sampler, shape, x, y, layer);
  default:
    return sample_linear_3(image, format, sampler, shape, x, y, z);
  }
}

// Integer images only support the nearest filter.
#define SAMPLE(type, suffix)                                                                                           \
  type##4 __lockstep_image_sample_##suffix(image_pointer image, uint format, uint sampler, uint shape, float x,        \
                                           float y, float z, float layer) {                                            \
    return sample_nearest_##suffix(image, format, sampler, shape, x, y, z,                                             \
                                   shape & LAYERED ? nearest_layer(image, layer) : 0);                                 \
  }
SAMPLE(int, i)
SAMPLE(uint, u)

// ---- levels of detail

// The mipmap fields of a sampler (src/abi/image_descriptor.h): whether two levels are mixed, and
// the range of levels in 1/256. The upper limit counts down from the maximum, so that samplers in
// source code (all zero) have no limits.
#define MIXES_LEVELS(sampler) ((sampler) & 0x40)
#define LEAST_LEVEL(sampler) ((float)((sampler) >> 8 & 0xfff) / 256)
#define LAST_LEVEL(sampler) ((float)(0xfff - ((sampler) >> 20)) / 256)

PART float level_of(image_pointer image, uint sampler, float lod) {
  return clamped(clamped(lod, LEAST_LEVEL(sampler), LAST_LEVEL(sampler)), 0, (float)image->levels - 1);
}

// If two levels are equally near, returns the finer one.
FOLDED image_pointer nearest_level(image_pointer image, float level) {
  return image + (int)__builtin_elementwise_ceil(level - 0.5f);
}

float4 __lockstep_image_sample_level_f(image_pointer image, uint format, uint sampler, uint shape, float x, float y,
                                       float z, float layer, float lod) {
  float level = level_of(image, sampler, lod);
  if (!MIXES_LEVELS(sampler))
    return __lockstep_image_sample_f(nearest_level(image, level), format, sampler, shape, x, y, z, layer);
  float fine = rounded_down(level), fraction = level - fine;
  float coarse = clamped(fine + 1, 0, (float)image->levels - 1);
  return (1 - fraction) * __lockstep_image_sample_f(image + (int)fine, format, sampler, shape, x, y, z, layer) +
         fraction * __lockstep_image_sample_f(image + (int)coarse, format, sampler, shape, x, y, z, layer);
}

#define SAMPLE_LEVEL(type, suffix)                                                                                     \
  type##4 __lockstep_image_sample_level_##suffix(image_pointer image, uint format, uint sampler, uint shape, float x,  \
                                                 float y, float z, float layer, float lod) {                           \
    return __lockstep_image_sample_##suffix(nearest_level(image, level_of(image, sampler, lod)), format, sampler,      \
                                            shape, x, y, z, layer);                                                    \
  }
SAMPLE_LEVEL(int, i)
SAMPLE_LEVEL(uint, u)

// ---- 32-bit words (cl_intel_subgroups)

// Returns the number of byte offsets in a row at which a complete word starts.
FOLDED uint whole_words(image_pointer image, uint format) {
  uint bytes = image->width * texel_bytes(format);
  return bytes > 3 ? bytes - 3 : 0;
}
FOLDED global uchar *byte_address(image_pointer image, int x, int y) {
  return image->data + (long)y * (long)image->row_pitch + x;
}

// Outside, returns the nearest word of the row. If the row has less than one word, its last byte
// replaces the missing ones.
uint __lockstep_image_word_read(image_pointer image, uint format, int x, int y) {
  uint places = whole_words(image, format);
  if (EVERYWHERE(is_inside(x, places)) & EVERYWHERE(is_inside(y, image->height)))
    return *(const global unaligned_word *)byte_address(image, x, y);
  y = into_range(y, image->height);
  if (places)
    return *(const generic unaligned_word *)byte_address(image, into_range(x, places), y);
  const generic uchar *row = byte_address(image, 0, y);
  uint last = image->width * texel_bytes(format) - 1;
  return row[0] | row[last > 1 ? 1 : last] << 8 | row[last] << 16 | (uint)row[last] << 24;
}

// If a word is partly outside, writes only the bytes that are inside.
void __lockstep_image_word_write(image_pointer image, uint format, int x, int y, uint value) {
  bool inside_x = is_inside(x, whole_words(image, format)), inside_y = is_inside(y, image->height);
  global uchar *p = byte_address(image, x, y);
  if (EVERYWHERE(inside_x) & EVERYWHERE(inside_y)) {
    *(global unaligned_word *)p = value;
  } else if (inside_x & inside_y) {
    *(generic unaligned_word *)p = value;
  } else if (inside_y) {
    uint bytes = image->width * texel_bytes(format);
#pragma clang loop unroll(disable)
    for (int k = 0; k < 4; ++k)
      if (is_inside(x + k, bytes))
        ((generic uchar *)p)[k] = value >> 8 * k;
  }
}

// ---- for the checker (src/compiler/checks/undefined/track_undefined.cpp)

// For a read: the address of the texel, or of the nearest of the filtered texels; null for the
// border color. For a write: whether the texel is inside of the image.
uint __lockstep_image_texel_bytes(uint format) {
  return texel_bytes(format);
}
const global uchar *__lockstep_image_place_read(image_pointer image, uint format, uint sampler, uint shape, int x, int y,
                                                int z, int layer) {
  layer = shape & LAYERED ? into_range(layer, image->layers) : 0;
  if (HAS_BORDER(sampler) && !is_inside(image, shape, x, y, z))
    return 0;
  return address(image, format, shape, into_range(x, image->width),
                 DIMENSIONS(shape) >= 2 ? into_range(y, image->height) : 0,
                 DIMENSIONS(shape) == 3 ? into_range(z, image->depth) : 0, layer);
}
const global uchar *__lockstep_image_place_sample(image_pointer image, uint format, uint sampler, uint shape, float x,
                                                  float y, float z, float layer) {
  return __lockstep_image_place_read(image, format, sampler, shape, nearest(sampler, x, image->width),
                                     DIMENSIONS(shape) >= 2 ? nearest(sampler, y, image->height) : 0,
                                     DIMENSIONS(shape) == 3 ? nearest(sampler, z, image->depth) : 0,
                                     shape & LAYERED ? nearest_layer(image, layer) : 0);
}
const global uchar *__lockstep_image_place_sample_level(image_pointer image, uint format, uint sampler, uint shape, float x,
                                                        float y, float z, float layer, float lod) {
  return __lockstep_image_place_sample(nearest_level(image, level_of(image, sampler, lod)), format, sampler, shape, x, y, z,
                                       layer);
}
bool __lockstep_image_inside_write(image_pointer image, uint format, uint shape, int x, int y, int z, int layer) {
  return is_inside(image, shape, x, y, z) & !(shape & LAYERED && !is_inside(layer, image->layers));
}
const global uchar *__lockstep_image_place_write(image_pointer image, uint format, uint shape, int x, int y, int z,
                                                 int layer) {
  return address(image, format, shape, x, y, z, layer);
}
const global uchar *__lockstep_image_place_word(image_pointer image, uint format, int x, int y) {
  bool inside = is_inside(x, whole_words(image, format)) & is_inside(y, image->height);
  return inside ? byte_address(image, x, y) : 0;
}
