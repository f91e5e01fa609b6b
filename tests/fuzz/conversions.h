// Conversions with a rounding mode and saturation (OpenCL C 6.4.3), and half as it lies in memory
// (6.3.1.1.2). Written with integers: a number is a sign, a significand and a power of two, so that
// no rounding mode of this machine, and no instruction that the code under test uses, is part of
// the answer.
#pragma once

#include "value.h"

namespace lockstep::fuzz {

enum class Rounding : uint8_t { none, rte, rtz, rtp, rtn }; // none: what the type's default is
const char *suffix(Rounding rounding);                      // "", "_rte", ...

// convert_<to>[_sat][_rte]. What is out of range without saturation must not come here.
uint64_t convert_rounded(Elem from, Elem to, uint64_t v, bool saturate, Rounding rounding);

uint64_t half_to_float(uint16_t half);
// `from`: f32 or f64
uint16_t to_half(Elem from, uint64_t v, Rounding rounding);

} // namespace lockstep::fuzz
