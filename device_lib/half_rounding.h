// To half in all roundings, for scalars and vectors: halves_rte(x) and its kin give the bits.
//
// All rounding begins with the processor's conversion, which is to nearest, and goes on to the next
// half where that went to the wrong side. What it gave is exact when it is widened again, so the
// comparison is. (libclc cuts bits off before the conversion, of numbers that are small for a half
// too few, and loses them.)
#pragma once

#include "lockstep_builtins.h"

#define OVERLOADED static inline PURE __attribute__((overloadable))

// What scalars and vectors have different words for. A comparison of vectors gives all bits.
#define CAST_ONE(type, value) ((type)(value))
#define CAST_EACH(type, value) __builtin_convertvector(value, type)

// From double by way of float, since most processors have no conversion to half in one step. Two
// roundings are one if the first loses nothing that the second asks about: it goes towards zero,
// and sets the last bit, which no half has room for, where it was not exact.
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

// Halves without their sign are ordered as integers are.
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

// Every half is a float.
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
