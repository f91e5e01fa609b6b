// What a texel means: conversions between the bits of a channel and its number, and the order of the
// channels (OpenCL C 3.0, "Conversion Rules").
#pragma once

#include "device_lib/images/texel_bits.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Returns c / largest, correctly rounded (tests/programs/image_formats_test.cpp tests all c).
// `high` has so few bits that its product is exact; the product with `low` decides the rounding. A
// division would be slow, and a product with 1 / largest inexact.
PART float normalized(int c, float high, float low) {
#ifdef LOCKSTEP_FOR_GPU // the same number: the first product is exact
  return __builtin_elementwise_fma((float)c, high, (float)c * low);
#else
  return (float)c * high + (float)c * low;
#endif
}

constant const float linear_of_srgb[256] = {
#include "device_lib/images/linear_of_srgb.inc"
};
// The least linear value that is nearer to this code than to the previous one.
constant const float least_of_srgb[256] = {
#include "device_lib/images/least_of_srgb.inc"
};

// Converts the bits of one channel to a number. Channel 3 is alpha, which sRGB does not encode.
PART float to_float(uint c, uint format, uint channel) {
  switch (DATA_TYPE(format)) {
  case TYPE(UNORM_INT8):
    if (is_srgb(ORDER(format)) && channel != 3)
      return linear_of_srgb[c & 0xff];
    return normalized(c, 0x1.01p-8f, 0x1.010102p-24f);
  case TYPE(UNORM_INT16):
    return normalized(c, 0x1p-16f, 0x1.0001p-32f);
  case TYPE(SNORM_INT8): {
    float value = normalized((char)c, 0x1.0204p-7f, 0x1.020408p-28f);
    return value < -1 ? -1 : value;
  }
  case TYPE(SNORM_INT16): {
    float value = normalized((short)c, 0x1p-15f, 0x1.0002p-30f);
    return value < -1 ? -1 : value;
  }
  case TYPE(UNORM_SHORT_565):
    if (channel == 1)
      return normalized(c, 0x1.041p-6f, 0x1.041042p-24f);
    return normalized(c, 0x1.0842p-5f, 0x1.08421p-25f);
  case TYPE(UNORM_SHORT_555):
    return normalized(c, 0x1.0842p-5f, 0x1.08421p-25f);
  case TYPE(UNORM_INT_101010_2):
    if (channel == 3)
      return normalized(c, 0x1.55554p-2f, 0x1.555556p-22f);
    return normalized(c, 0x1.004p-10f, 0x1.00401p-30f);
  case TYPE(UNORM_INT_101010):
    return normalized(c, 0x1.004p-10f, 0x1.00401p-30f);
  case TYPE(HALF_FLOAT):
    return (float)as_half((ushort)c);
  default:
    return as_float(c);
  }
}

// Rounds to the nearest integer, ties to even, and clamps to `least` .. `most`. NaN becomes 0.
PART uint to_integer(float value, float least, float most) {
  value = value == value ? value : 0;
  value = value > least ? value : least;
  value = value < most ? value : most;
  return (int)__builtin_elementwise_roundeven(value);
}

PART uint to_srgb(float value) {
  uint code = 0;
  for (uint step = 128; step != 0; step >>= 1)
    code += value >= least_of_srgb[code + step] ? step : 0; // a NaN gives 0
  return code;
}

PART uint from_float(float value, uint format, uint channel) {
  switch (DATA_TYPE(format)) {
  case TYPE(UNORM_INT8):
    if (is_srgb(ORDER(format)) && channel != 3)
      return to_srgb(value);
    return to_integer(value * 255.0f, 0, 255);
  case TYPE(UNORM_INT16):
    return to_integer(value * 65535.0f, 0, 65535);
  case TYPE(SNORM_INT8):
    return to_integer(value * 127.0f, -128, 127) & 0xff;
  case TYPE(SNORM_INT16):
    return to_integer(value * 32767.0f, -32768, 32767) & 0xffff;
  case TYPE(UNORM_SHORT_565):
    return channel == 1 ? to_integer(value * 63.0f, 0, 63) : to_integer(value * 31.0f, 0, 31);
  case TYPE(UNORM_SHORT_555):
    return to_integer(value * 31.0f, 0, 31);
  case TYPE(UNORM_INT_101010_2):
    return channel == 3 ? to_integer(value * 3.0f, 0, 3) : to_integer(value * 1023.0f, 0, 1023);
  case TYPE(UNORM_INT_101010):
    return to_integer(value * 1023.0f, 0, 1023);
  case TYPE(HALF_FLOAT):
    return as_ushort((half)value);
  default:
    return as_uint(value);
  }
}

PART int to_signed(uint c, uint format) {
  switch (DATA_TYPE(format)) {
  case TYPE(SIGNED_INT8):
    return (char)c;
  case TYPE(SIGNED_INT16):
    return (short)c;
  default:
    return c;
  }
}

PART uint from_signed(int value, uint format) {
  switch (DATA_TYPE(format)) {
  case TYPE(SIGNED_INT8):
    value = value < -128 ? -128 : value;
    return (value > 127 ? 127 : value) & 0xff;
  case TYPE(SIGNED_INT16):
    value = value < -32768 ? -32768 : value;
    return (value > 32767 ? 32767 : value) & 0xffff;
  default:
    return value;
  }
}

PART uint from_unsigned(uint value, uint format) {
  switch (DATA_TYPE(format)) {
  case TYPE(UNSIGNED_INT8):
    return value > 0xff ? 0xff : value;
  case TYPE(UNSIGNED_INT16):
    return value > 0xffff ? 0xffff : value;
  default:
    return value;
  }
}

// The format says whether the value has a sign.
PART uint from_number(int value, uint format) {
  switch (DATA_TYPE(format)) {
  case TYPE(UNSIGNED_INT8):
  case TYPE(UNSIGNED_INT16):
    return from_unsigned(value, format);
  default:
    return from_signed(value, format);
  }
}

// ---- order of the channels

// Missing color channels are 0, and missing alpha is 1.
#define FROM_MEMORY(type, zero, one)                                                               \
  PART type##4 from_memory(type##4 c, uint format) {                                               \
    switch (ORDER(format)) {                                                                       \
    case order_r:                                                                                  \
    case order_rx:                                                                                 \
      return (type##4)(c.x, zero, zero, one);                                                      \
    case order_depth: /* one number; the others are undefined */                                   \
      return (type##4)(c.x, zero, zero, one);                                                      \
    case order_a:                                                                                  \
      return (type##4)(zero, zero, zero, c.x);                                                     \
    case order_rg:                                                                                 \
    case order_rgx:                                                                                \
      return (type##4)(c.x, c.y, zero, one);                                                       \
    case order_ra:                                                                                 \
      return (type##4)(c.x, zero, zero, c.y);                                                      \
    case order_rgb:                                                                                \
    case order_rgbx:                                                                               \
    case order_srgb:                                                                               \
    case order_srgbx:                                                                              \
      return (type##4)(c.x, c.y, c.z, one);                                                        \
    case order_bgra:                                                                               \
    case order_sbgra:                                                                              \
      return c.zyxw;                                                                               \
    case order_argb:                                                                               \
      return c.yzwx;                                                                               \
    case order_abgr:                                                                               \
      return c.wzyx;                                                                               \
    case order_intensity:                                                                          \
      return c.xxxx;                                                                               \
    case order_luminance:                                                                          \
      return (type##4)(c.x, c.x, c.x, one);                                                        \
    default:                                                                                       \
      return c;                                                                                    \
    }                                                                                              \
  }
FROM_MEMORY(float, 0.0f, 1.0f)
FROM_MEMORY(int, 0, 1)
FROM_MEMORY(uint, 0u, 1u)

#define INTO_MEMORY(type)                                                                          \
  PART type##4 into_memory(type##4 c, uint format) {                                               \
    switch (ORDER(format)) {                                                                       \
    case order_a:                                                                                  \
      return c.wwww;                                                                               \
    case order_ra:                                                                                 \
      return c.xwww;                                                                               \
    case order_bgra:                                                                               \
    case order_sbgra:                                                                              \
      return c.zyxw;                                                                               \
    case order_argb:                                                                               \
      return c.wxyz;                                                                               \
    case order_abgr:                                                                               \
      return c.wzyx;                                                                               \
    default:                                                                                       \
      return c;                                                                                    \
    }                                                                                              \
  }
INTO_MEMORY(float)
INTO_MEMORY(int)
INTO_MEMORY(uint)

// Returns whether the alpha of the border color is 1.
FOLDED bool has_opaque_border(uint format) {
  switch (ORDER(format)) {
  case order_r:
  case order_rg:
  case order_rgb:
  case order_luminance:
  case order_srgb:
    return true;
  default:
    return false;
  }
}
