// How a texel is stored: how many channels and bytes each format has, and how the bits of the channels
// are loaded and stored. texel_channels.h converts these bits to numbers.
#pragma once

#include "device_lib/images/images.h"

// PART functions are not inlined in this file. So each is compiled once, and inlined with the
// constants of its caller.
#define PART static __attribute__((noinline, overloadable))
// FOLDED functions compute with constants. They are inlined here, so that the branches of their
// callers are recognized as constant when the callers are cloned.
#define FOLDED static __attribute__((overloadable))

enum {
  order_r,
  order_a,
  order_rg,
  order_ra,
  order_rgb,
  order_rgba,
  order_bgra,
  order_argb,
  order_intensity,
  order_luminance,
  order_rx,
  order_rgx,
  order_rgbx,
  order_depth,
  order_srgb = 0xf,
  order_srgbx,
  order_srgba,
  order_sbgra,
  order_abgr
};
#define ORDER(format) (CHANNEL_ORDER(format) - CHANNEL_ORDER(CLK_R << 8))
#define TYPE(name) DATA_TYPE(CLK_##name)

// Formats with several bit-fields in one word, such as 10-bit channels.
FOLDED bool is_packed(uint type) {
  return type == TYPE(UNORM_SHORT_565) || type == TYPE(UNORM_SHORT_555) ||
         type == TYPE(UNORM_INT_101010) || type == TYPE(UNORM_INT_101010_2);
}

FOLDED bool is_srgb(uint order) {
  return order >= order_srgb && order <= order_sbgra;
}

FOLDED uint channel_count(uint order) {
  switch (order) {
  case order_r:
  case order_a:
  case order_intensity:
  case order_luminance:
  case order_rx:
  case order_depth:
    return 1;
  case order_rg:
  case order_ra:
  case order_rgx:
    return 2;
  case order_srgb: // order_rgb and order_rgbx are packed
    return 3;
  default:
    return 4;
  }
}

FOLDED uint channel_bytes(uint type) {
  switch (type) {
  case TYPE(SNORM_INT8):
  case TYPE(UNORM_INT8):
  case TYPE(SIGNED_INT8):
  case TYPE(UNSIGNED_INT8):
    return 1;
  case TYPE(SNORM_INT16):
  case TYPE(UNORM_INT16):
  case TYPE(SIGNED_INT16):
  case TYPE(UNSIGNED_INT16):
  case TYPE(HALF_FLOAT):
    return 2;
  default:
    return 4;
  }
}

FOLDED uint texel_bytes(uint format) {
  uint type = DATA_TYPE(format);
  if (is_packed(type))
    return type == TYPE(UNORM_SHORT_565) || type == TYPE(UNORM_SHORT_555) ? 2 : 4;
  return channel_count(ORDER(format)) * channel_bytes(type);
}

// Memory that the program provides may be unaligned for a texel.
typedef ushort unaligned_short __attribute__((aligned(1)));
typedef uint unaligned_word __attribute__((aligned(1)));

#ifdef LOCKSTEP_FOR_GPU
// In the memory of a GPU, texels are aligned to their size. So one instruction accesses all channels.
typedef ushort short_in_memory;
typedef uint word_in_memory;
#define LOAD_2_WORDS(space, p) (*(const space uint2 *)(p))
#define LOAD_4_WORDS(space, p) (*(const space uint4 *)(p))
#define STORE_2_WORDS(space, p, a, b) (*(space uint2 *)(p) = (uint2)(a, b))
#define STORE_4_WORDS(space, p, bits) (*(space uint4 *)(p) = (bits))
#else
typedef unaligned_short short_in_memory;
typedef unaligned_word word_in_memory;
#define LOAD_2_WORDS(space, p) ((uint2)((p)[0], (p)[1]))
#define LOAD_4_WORDS(space, p) ((uint4)((p)[0], (p)[1], (p)[2], (p)[3]))
#define STORE_2_WORDS(space, p, a, b) ((p)[0] = (a), (p)[1] = (b))
#define STORE_4_WORDS(space, p, bits)                                                              \
  ((p)[0] = (bits).x, (p)[1] = (bits).y, (p)[2] = (bits).z, (p)[3] = (bits).w)
#endif

// Loads the bits of each channel in memory order. Neighboring channels are loaded together, so that
// the lanes load contiguous memory.
#define LOAD_BITS(space)                                                                           \
  PART uint4 load_bits(const space uchar *p, uint format) {                                        \
    uint type = DATA_TYPE(format), bytes = channel_bytes(type),                                    \
         count = channel_count(ORDER(format));                                                     \
    if (type == TYPE(UNORM_SHORT_565)) {                                                           \
      uint w = *(const space short_in_memory *)p;                                                  \
      return (uint4)(w >> 11, w >> 5 & 0x3f, w & 0x1f, 0);                                         \
    }                                                                                              \
    if (type == TYPE(UNORM_SHORT_555)) {                                                           \
      uint w = *(const space short_in_memory *)p;                                                  \
      return (uint4)(w >> 10 & 0x1f, w >> 5 & 0x1f, w & 0x1f, 0);                                  \
    }                                                                                              \
    if (type == TYPE(UNORM_INT_101010)) {                                                          \
      uint w = *(const space word_in_memory *)p;                                                   \
      return (uint4)(w >> 20 & 0x3ff, w >> 10 & 0x3ff, w & 0x3ff, 0);                              \
    }                                                                                              \
    if (type == TYPE(UNORM_INT_101010_2)) {                                                        \
      uint w = *(const space word_in_memory *)p;                                                   \
      return (uint4)(w >> 22, w >> 12 & 0x3ff, w >> 2 & 0x3ff, w & 3);                             \
    }                                                                                              \
    if (bytes == 1) {                                                                              \
      if (count == 1)                                                                              \
        return (uint4)(*p, 0, 0, 0);                                                               \
      if (count == 2) {                                                                            \
        uint w = *(const space short_in_memory *)p;                                                \
        return (uint4)(w & 0xff, w >> 8, 0, 0);                                                    \
      }                                                                                            \
      if (count == 3)                                                                              \
        return (uint4)(p[0], p[1], p[2], 0);                                                       \
      uint w = *(const space word_in_memory *)p;                                                   \
      return (uint4)(w & 0xff, w >> 8 & 0xff, w >> 16 & 0xff, w >> 24);                            \
    }                                                                                              \
    const space word_in_memory *words = (const space word_in_memory *)p;                           \
    if (bytes == 2) {                                                                              \
      if (count == 1)                                                                              \
        return (uint4)(*(const space short_in_memory *)p, 0, 0, 0);                                \
      uint2 w = count == 4 ? LOAD_2_WORDS(space, words) : (uint2)(words[0], 0);                    \
      return (uint4)(w.x & 0xffff, w.x >> 16, w.y & 0xffff, w.y >> 16);                            \
    }                                                                                              \
    if (count == 1)                                                                                \
      return (uint4)(words[0], 0, 0, 0);                                                           \
    if (count == 2)                                                                                \
      return (uint4)(LOAD_2_WORDS(space, words), 0, 0);                                            \
    return LOAD_4_WORDS(space, words);                                                             \
  }
LOAD_BITS(global)
LOAD_BITS(generic)

#define STORE_BITS(space)                                                                          \
  PART void store_bits(space uchar *p, uint format, uint4 c) {                                     \
    uint type = DATA_TYPE(format), bytes = channel_bytes(type),                                    \
         count = channel_count(ORDER(format));                                                     \
    space word_in_memory *words = (space word_in_memory *)p;                                       \
    space short_in_memory *halfwords = (space short_in_memory *)p;                                 \
    if (type == TYPE(UNORM_SHORT_565)) {                                                           \
      *halfwords = c.x << 11 | c.y << 5 | c.z;                                                     \
    } else if (type == TYPE(UNORM_SHORT_555)) {                                                    \
      *halfwords = c.x << 10 | c.y << 5 | c.z;                                                     \
    } else if (type == TYPE(UNORM_INT_101010)) {                                                   \
      *words = c.x << 20 | c.y << 10 | c.z;                                                        \
    } else if (type == TYPE(UNORM_INT_101010_2)) {                                                 \
      *words = c.x << 22 | c.y << 12 | c.z << 2 | c.w;                                             \
    } else if (bytes == 1) {                                                                       \
      if (count == 1) {                                                                            \
        *p = c.x;                                                                                  \
      } else if (count == 2) {                                                                     \
        *halfwords = c.x | c.y << 8;                                                               \
      } else if (count == 3) {                                                                     \
        p[0] = c.x;                                                                                \
        p[1] = c.y;                                                                                \
        p[2] = c.z;                                                                                \
      } else {                                                                                     \
        *words = c.x | c.y << 8 | c.z << 16 | c.w << 24;                                           \
      }                                                                                            \
    } else if (bytes == 2) {                                                                       \
      if (count == 1)                                                                              \
        *halfwords = c.x;                                                                          \
      else if (count == 2)                                                                         \
        words[0] = c.x | c.y << 16;                                                                \
      else                                                                                         \
        STORE_2_WORDS(space, words, c.x | c.y << 16, c.z | c.w << 16);                             \
    } else if (count == 1) {                                                                       \
      words[0] = c.x;                                                                              \
    } else if (count == 2) {                                                                       \
      STORE_2_WORDS(space, words, c.x, c.y);                                                       \
    } else {                                                                                       \
      STORE_4_WORDS(space, words, c);                                                              \
    }                                                                                              \
  }
STORE_BITS(global)
STORE_BITS(generic)
