// Functions on half other than math (cl_khr_fp16): common (OpenCL C 6.15.4), geometric (6.15.5) and
// relational (6.15.6) functions.
#include "device_lib/half/half_rounding.h"

#define EACH_VECTOR(macro, ...)                                                                    \
  macro(2, __VA_ARGS__) macro(3, __VA_ARGS__) macro(4, __VA_ARGS__) macro(8, __VA_ARGS__)          \
      macro(16, __VA_ARGS__)
#define EACH_WIDTH(macro, ...) macro(, __VA_ARGS__) EACH_VECTOR(macro, __VA_ARGS__)

// ---- common functions ----

#define COMMON(n, _)                                                                               \
  BUILTIN PURE half##n max(half##n x, half##n y) {                                                 \
    return x < y ? y : x;                                                                          \
  }                                                                                                \
  BUILTIN PURE half##n min(half##n x, half##n y) {                                                 \
    return y < x ? y : x;                                                                          \
  }                                                                                                \
  BUILTIN PURE half##n clamp(half##n x, half##n low, half##n high) {                               \
    return min(max(x, low), high);                                                                 \
  }                                                                                                \
  BUILTIN PURE half##n degrees(half##n x) {                                                        \
    return narrowed(degrees(widened(x)));                                                          \
  }                                                                                                \
  BUILTIN PURE half##n radians(half##n x) {                                                        \
    return narrowed(radians(widened(x)));                                                          \
  }                                                                                                \
  BUILTIN PURE half##n sign(half##n x) {                                                           \
    return x == 0 ? x : x != x ? (half##n)0 : copysign((half##n)1, x);                             \
  }                                                                                                \
  BUILTIN PURE half##n mix(half##n x, half##n y, half##n a) {                                      \
    return narrowed(mix(widened(x), widened(y), widened(a)));                                      \
  }                                                                                                \
  BUILTIN PURE half##n step(half##n edge, half##n x) {                                             \
    return x < edge ? (half##n)0 : (half##n)1;                                                     \
  }                                                                                                \
  BUILTIN PURE half##n smoothstep(half##n low, half##n high, half##n x) {                          \
    return narrowed(smoothstep(widened(low), widened(high), widened(x)));                          \
  }
EACH_WIDTH(COMMON, _)

#define WITH_ONE(n, _)                                                                             \
  BUILTIN PURE half##n max(half##n x, half y) {                                                    \
    return max(x, (half##n)y);                                                                     \
  }                                                                                                \
  BUILTIN PURE half##n min(half##n x, half y) {                                                    \
    return min(x, (half##n)y);                                                                     \
  }                                                                                                \
  BUILTIN PURE half##n clamp(half##n x, half low, half high) {                                     \
    return clamp(x, (half##n)low, (half##n)high);                                                  \
  }                                                                                                \
  BUILTIN PURE half##n mix(half##n x, half##n y, half a) {                                         \
    return mix(x, y, (half##n)a);                                                                  \
  }                                                                                                \
  BUILTIN PURE half##n step(half edge, half##n x) {                                                \
    return step((half##n)edge, x);                                                                 \
  }                                                                                                \
  BUILTIN PURE half##n smoothstep(half low, half high, half##n x) {                                \
    return smoothstep((half##n)low, (half##n)high, x);                                             \
  }
EACH_VECTOR(WITH_ONE, _)

// ---- geometric functions: squares of halves, and sums of four of them, fit in a float ----

#define GEOMETRIC(n)                                                                               \
  BUILTIN PURE half dot(half##n x, half##n y) {                                                    \
    return narrowed(dot(widened(x), widened(y)));                                                  \
  }                                                                                                \
  BUILTIN PURE half distance(half##n x, half##n y) {                                               \
    return narrowed(distance(widened(x), widened(y)));                                             \
  }                                                                                                \
  BUILTIN PURE half length(half##n x) {                                                            \
    return narrowed(length(widened(x)));                                                           \
  }                                                                                                \
  BUILTIN PURE half##n normalize(half##n x) {                                                      \
    return narrowed(normalize(widened(x)));                                                        \
  }
GEOMETRIC()
GEOMETRIC(2)
GEOMETRIC(3)
GEOMETRIC(4)

BUILTIN PURE half3 cross(half3 x, half3 y) {
  return narrowed(cross(widened(x), widened(y)));
}
BUILTIN PURE half4 cross(half4 x, half4 y) {
  return narrowed(cross(widened(x), widened(y)));
}

// ---- relational functions: 1 for a scalar, -1 for an element of a vector ----

#define BITS(n, x) (as_ushort##n(x) & (ushort##n)0x7fff)
#define COMPARISONS(n, result)                                                                     \
  BUILTIN PURE result isequal(half##n x, half##n y) {                                              \
    return x == y;                                                                                 \
  }                                                                                                \
  BUILTIN PURE result isnotequal(half##n x, half##n y) {                                           \
    return x != y;                                                                                 \
  }                                                                                                \
  BUILTIN PURE result isgreater(half##n x, half##n y) {                                            \
    return x > y;                                                                                  \
  }                                                                                                \
  BUILTIN PURE result isgreaterequal(half##n x, half##n y) {                                       \
    return x >= y;                                                                                 \
  }                                                                                                \
  BUILTIN PURE result isless(half##n x, half##n y) {                                               \
    return x < y;                                                                                  \
  }                                                                                                \
  BUILTIN PURE result islessequal(half##n x, half##n y) {                                          \
    return x <= y;                                                                                 \
  }                                                                                                \
  BUILTIN PURE result islessgreater(half##n x, half##n y) {                                        \
    return (x < y) | (x > y);                                                                      \
  }                                                                                                \
  BUILTIN PURE result isordered(half##n x, half##n y) {                                            \
    return (x == x) & (y == y);                                                                    \
  }                                                                                                \
  BUILTIN PURE result isunordered(half##n x, half##n y) {                                          \
    return (x != x) | (y != y);                                                                    \
  }                                                                                                \
  BUILTIN PURE result isfinite(half##n x) {                                                        \
    return BITS(n, x) < (ushort##n)0x7c00;                                                         \
  }                                                                                                \
  BUILTIN PURE result isinf(half##n x) {                                                           \
    return BITS(n, x) == (ushort##n)0x7c00;                                                        \
  }                                                                                                \
  BUILTIN PURE result isnan(half##n x) {                                                           \
    return BITS(n, x) > (ushort##n)0x7c00;                                                         \
  }                                                                                                \
  BUILTIN PURE result isnormal(half##n x) {                                                        \
    return (BITS(n, x) >= (ushort##n)0x400) & (BITS(n, x) < (ushort##n)0x7c00);                    \
  }                                                                                                \
  BUILTIN PURE result signbit(half##n x) {                                                         \
    return as_short##n(x) < (short##n)0;                                                           \
  }
COMPARISONS(, int)
COMPARISONS(2, short2)
COMPARISONS(3, short3)
COMPARISONS(4, short4)
COMPARISONS(8, short8)
COMPARISONS(16, short16)

#define BIT_SELECTION(n, _)                                                                        \
  BUILTIN PURE half##n bitselect(half##n a, half##n b, half##n c) {                                \
    const ushort##n mask = as_ushort##n(c);                                                        \
    return as_half##n((ushort##n)((as_ushort##n(a) & ~mask) | (as_ushort##n(b) & mask)));          \
  }
EACH_WIDTH(BIT_SELECTION, _)

// A scalar is selected if the condition is not 0, a vector element by the highest bit of its
// condition.
BUILTIN PURE half select(half a, half b, short c) {
  return c ? b : a;
}
BUILTIN PURE half select(half a, half b, ushort c) {
  return c ? b : a;
}
#define SELECTION(n, _)                                                                            \
  BUILTIN PURE half##n select(half##n a, half##n b, short##n c) {                                  \
    return c < (short##n)0 ? b : a;                                                                \
  }                                                                                                \
  BUILTIN PURE half##n select(half##n a, half##n b, ushort##n c) {                                 \
    return as_short##n(c) < (short##n)0 ? b : a;                                                   \
  }
EACH_VECTOR(SELECTION, _)
