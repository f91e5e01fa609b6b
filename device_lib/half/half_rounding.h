// Conversion to half in all rounding modes, for scalars and vectors: halves_rte(x) and its variants
// return the bits.
//
// Each mode starts with the processor's conversion, which rounds to nearest, and moves to the next
// half if that rounded in the wrong direction. Widening the result is exact, so the comparison is
// too. (libclc truncates before the conversion. For numbers that are small for a half, it cuts off
// too many bits.)
#pragma once

#include "device_lib/lockstep_builtins.h"

#define OVERLOADED static inline PURE __attribute__((overloadable))

// Operations that scalars and vectors spell differently. A vector comparison sets all bits of an
// element.
#define CAST_ONE(type, value) ((type)(value))
#define CAST_EACH(type, value) __builtin_convertvector(value, type)

// Converts double through float, because most processors cannot convert it to half directly. The
// second rounding is correct if the first one keeps the information it needs. So the first one
// rounds toward zero and, if inexact, sets the last bit, which is below the precision of a half.
#define TO_FLOAT(n, CAST)                                                                          \
  OVERLOADED float##n to_float(float##n x) {                                                       \
    return x;                                                                                      \
  }                                                                                                \
  OVERLOADED float##n to_float(double##n x) {                                                      \
    float##n near = CAST(float##n, x);                                                             \
    double##n wide = CAST(double##n, near);                                                        \
    int##n bits = as_int##n(near);                                                                 \
    bits = CAST(int##n, __builtin_elementwise_abs(wide) > __builtin_elementwise_abs(x)) ? bits - 1 \
                                                                                        : bits;    \
    bits = CAST(int##n, (wide < x) | (wide > x)) ? bits | 1 : bits;                                \
    return as_float##n(bits);                                                                      \
  }

// Without their sign, halves are ordered like integers.
#define ROUNDINGS(n, type, CAST)                                                                   \
  OVERLOADED short##n halves_rte(type##n x) {                                                      \
    return as_short##n(CAST(half##n, to_float(x)));                                                \
  }                                                                                                \
  OVERLOADED short##n halves(type##n x) {                                                          \
    return halves_rte(x);                                                                          \
  }                                                                                                \
  OVERLOADED short##n halves_rtz(type##n x) {                                                      \
    short##n near = halves_rte(x);                                                                 \
    type##n wide = CAST(type##n, as_half##n(near));                                                \
    return CAST(short##n, __builtin_elementwise_abs(wide) > __builtin_elementwise_abs(x))          \
               ? near - (short)1                                                                   \
               : near;                                                                             \
  }                                                                                                \
  OVERLOADED short##n halves_rtp(type##n x) {                                                      \
    short##n near = halves_rte(x), up = near < (short)0 ? near - (short)1 : near + (short)1;       \
    return CAST(short##n, CAST(type##n, as_half##n(near)) < x) ? up : near;                        \
  }                                                                                                \
  OVERLOADED short##n halves_rtn(type##n x) {                                                      \
    short##n near = halves_rte(x), down = near < (short)0 ? near + (short)1 : near - (short)1;     \
    return CAST(short##n, CAST(type##n, as_half##n(near)) > x) ? down : near;                      \
  }

#define CONVERSIONS(n, CAST)                                                                       \
  TO_FLOAT(n, CAST)                                                                                \
  ROUNDINGS(n, float, CAST)                                                                        \
  ROUNDINGS(n, double, CAST)

CONVERSIONS(, CAST_ONE)
CONVERSIONS(2, CAST_EACH)
CONVERSIONS(3, CAST_EACH)
CONVERSIONS(4, CAST_EACH)
CONVERSIONS(8, CAST_EACH)
CONVERSIONS(16, CAST_EACH)

// Every half is representable as a float.
#define TO_HALF(n, CAST)                                                                           \
  OVERLOADED float##n widened(half##n x) {                                                         \
    return CAST(float##n, x);                                                                      \
  }                                                                                                \
  OVERLOADED half##n narrowed(float##n x) {                                                        \
    return CAST(half##n, x);                                                                       \
  }                                                                                                \
  OVERLOADED half##n narrowed(double##n x) {                                                       \
    return as_half##n(halves_rte(x));                                                              \
  }
TO_HALF(, CAST_ONE)
TO_HALF(2, CAST_EACH)
TO_HALF(3, CAST_EACH)
TO_HALF(4, CAST_EACH)
TO_HALF(8, CAST_EACH)
TO_HALF(16, CAST_EACH)
