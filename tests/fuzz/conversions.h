// Conversions with a rounding mode and saturation (OpenCL C 6.4.3), and half as stored in memory
// (6.3.1.1.2).
//
// The code uses integers only: a number is a sign, a significand and a power of two. So the answer
// depends neither on this machine's rounding mode nor on instructions that the code under test
// uses.
#pragma once

#include "value.h"

namespace lockstep::fuzz {

enum class Rounding : uint8_t { none, rte, rtz, rtp, rtn }; // none: the type's default
const char *suffix(Rounding rounding);                      // "", "_rte", ...

// convert_<to>[_sat][_rte]. Requires a value in the range of `to` unless `saturate` is set.
uint64_t convert_rounded(Elem from, Elem to, uint64_t v, bool saturate, Rounding rounding);

uint64_t half_to_float(uint16_t half);
// `from` is f32 or f64.
uint16_t to_half(Elem from, uint64_t v, Rounding rounding);

} // namespace lockstep::fuzz
