// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Math functions (SYCL 2020, section 4.17.5), including the native and half_precision versions. The
// device uses the OpenCL C builtins by their mangled names; the host uses the C++ library.
#pragma once

#include "sycl/detail/each_element.hpp"
#ifndef __SYCL_DEVICE_ONLY__
#include "sycl/detail/host_maths.hpp"
#endif

#include <cstdint>

// X(length of the name in its mangled form, name).
#define LOCKSTEP_MATHS_1(X)                                                                        \
  X(4, acos)                                                                                       \
  X(5, acosh)                                                                                      \
  X(6, acospi)                                                                                     \
  X(4, asin)                                                                                       \
  X(5, asinh)                                                                                      \
  X(6, asinpi)                                                                                     \
  X(4, atan)                                                                                       \
  X(5, atanh)                                                                                      \
  X(6, atanpi)                                                                                     \
  X(4, cbrt)                                                                                       \
  X(4, ceil)                                                                                       \
  X(3, cos)                                                                                        \
  X(4, cosh)                                                                                       \
  X(5, cospi)                                                                                      \
  X(3, erf)                                                                                        \
  X(4, erfc)                                                                                       \
  X(3, exp)                                                                                        \
  X(5, exp10)                                                                                      \
  X(4, exp2)                                                                                       \
  X(5, expm1)                                                                                      \
  X(4, fabs)                                                                                       \
  X(5, floor)                                                                                      \
  X(6, lgamma)                                                                                     \
  X(3, log)                                                                                        \
  X(5, log10)                                                                                      \
  X(5, log1p)                                                                                      \
  X(4, log2)                                                                                       \
  X(4, logb)                                                                                       \
  X(4, rint)                                                                                       \
  X(5, round)                                                                                      \
  X(5, rsqrt)                                                                                      \
  X(3, sin)                                                                                        \
  X(4, sinh)                                                                                       \
  X(5, sinpi)                                                                                      \
  X(4, sqrt)                                                                                       \
  X(3, tan)                                                                                        \
  X(4, tanh)                                                                                       \
  X(5, tanpi)                                                                                      \
  X(6, tgamma)                                                                                     \
  X(5, trunc)
#define LOCKSTEP_MATHS_2(X)                                                                        \
  X(5, atan2)                                                                                      \
  X(7, atan2pi)                                                                                    \
  X(8, copysign)                                                                                   \
  X(4, fdim)                                                                                       \
  X(4, fmax)                                                                                       \
  X(4, fmin)                                                                                       \
  X(4, fmod)                                                                                       \
  X(5, hypot)                                                                                      \
  X(6, maxmag)                                                                                     \
  X(6, minmag)                                                                                     \
  X(9, nextafter)                                                                                  \
  X(3, pow)                                                                                        \
  X(4, powr)                                                                                       \
  X(9, remainder)
#define LOCKSTEP_MATHS_3(X)                                                                        \
  X(3, fma)                                                                                        \
  X(3, mad)
#define LOCKSTEP_MATHS_WITH_INT(X)                                                                 \
  X(5, ldexp)                                                                                      \
  X(4, pown)                                                                                       \
  X(5, rootn)
// Functions that exist as native_ and half_ for float. X(length of the name with native_, length of
// the name, name).
#define LOCKSTEP_ROUGH_MATHS_1(X)                                                                  \
  X(10, 8, cos)                                                                                    \
  X(10, 8, exp)                                                                                    \
  X(12, 10, exp10)                                                                                 \
  X(11, 9, exp2)                                                                                   \
  X(10, 8, log)                                                                                    \
  X(12, 10, log10)                                                                                 \
  X(11, 9, log2)                                                                                   \
  X(12, 10, recip)                                                                                 \
  X(12, 10, rsqrt)                                                                                 \
  X(10, 8, sin)                                                                                    \
  X(11, 9, sqrt)                                                                                   \
  X(10, 8, tan)
#define LOCKSTEP_ROUGH_MATHS_2(X)                                                                  \
  X(13, 11, divide)                                                                                \
  X(11, 9, powr)

namespace sycl {

namespace detail::maths {

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_1(length, name)                                                                   \
  float name(float) __asm__("_Z" #length #name "f");                                               \
  double name(double) __asm__("_Z" #length #name "d");                                             \
  _Float16 name(_Float16) __asm__("_Z" #length #name "Dh");
#define LOCKSTEP_2(length, name)                                                                   \
  float name(float, float) __asm__("_Z" #length #name "ff");                                       \
  double name(double, double) __asm__("_Z" #length #name "dd");                                    \
  _Float16 name(_Float16, _Float16) __asm__("_Z" #length #name "DhDh");
#define LOCKSTEP_3(length, name)                                                                   \
  float name(float, float, float) __asm__("_Z" #length #name "fff");                               \
  double name(double, double, double) __asm__("_Z" #length #name "ddd");                           \
  _Float16 name(_Float16, _Float16, _Float16) __asm__("_Z" #length #name "DhDhDh");
#define LOCKSTEP_WITH_INT(length, name)                                                            \
  float name(float, int) __asm__("_Z" #length #name "fi");                                         \
  double name(double, int) __asm__("_Z" #length #name "di");                                       \
  _Float16 name(_Float16, int) __asm__("_Z" #length #name "Dhi");
#define LOCKSTEP_ROUGH_1(native_length, half_length, name)                                         \
  float native_##name(float) __asm__("_Z" #native_length "native_" #name "f");                     \
  float half_##name(float) __asm__("_Z" #half_length "half_" #name "f");
#define LOCKSTEP_ROUGH_2(native_length, half_length, name)                                         \
  float native_##name(float, float) __asm__("_Z" #native_length "native_" #name "ff");             \
  float half_##name(float, float) __asm__("_Z" #half_length "half_" #name "ff");
int ilogb(float) __asm__("_Z5ilogbf");
int ilogb(double) __asm__("_Z5ilogbd");
int ilogb(_Float16) __asm__("_Z5ilogbDh");
#else
#define LOCKSTEP_1(length, name)                                                                   \
  template <class T> T name(T x) {                                                                 \
    if constexpr (sizeof(T) == 2)                                                                  \
      return T(on_host::name(float(x)));                                                           \
    else                                                                                           \
      return on_host::name(x);                                                                     \
  }
#define LOCKSTEP_2(length, name)                                                                   \
  template <class T> T name(T x, T y) {                                                            \
    if constexpr (sizeof(T) == 2)                                                                  \
      return T(on_host::name(float(x), float(y)));                                                 \
    else                                                                                           \
      return on_host::name(x, y);                                                                  \
  }
// Halves are computed in double, where the sum is either exact or far from a rounding tie.
#define LOCKSTEP_3(length, name)                                                                   \
  template <class T> T name(T x, T y, T z) {                                                       \
    if constexpr (sizeof(T) == 2)                                                                  \
      return T(on_host::name(double(x), double(y), double(z)));                                    \
    else                                                                                           \
      return on_host::name(x, y, z);                                                               \
  }
#define LOCKSTEP_WITH_INT(length, name)                                                            \
  template <class T> T name(T x, int n) {                                                          \
    if constexpr (sizeof(T) == 2)                                                                  \
      return T(on_host::name(float(x), n));                                                        \
    else                                                                                           \
      return on_host::name(x, n);                                                                  \
  }
#define LOCKSTEP_ROUGH_1(native_length, half_length, name)                                         \
  inline float native_##name(float x) {                                                            \
    return on_host::name(x);                                                                       \
  }                                                                                                \
  inline float half_##name(float x) {                                                              \
    return on_host::name(x);                                                                       \
  }
#define LOCKSTEP_ROUGH_2(native_length, half_length, name)                                         \
  inline float native_##name(float x, float y) {                                                   \
    return on_host::name(x, y);                                                                    \
  }                                                                                                \
  inline float half_##name(float x, float y) {                                                     \
    return on_host::name(x, y);                                                                    \
  }
template <class T> int ilogb(T x) {
  return on_host::ilogb(std::conditional_t<sizeof(T) == 2, float, T>(x));
}
#endif
LOCKSTEP_MATHS_1(LOCKSTEP_1)
LOCKSTEP_MATHS_2(LOCKSTEP_2)
LOCKSTEP_MATHS_3(LOCKSTEP_3)
LOCKSTEP_MATHS_WITH_INT(LOCKSTEP_WITH_INT)
LOCKSTEP_ROUGH_MATHS_1(LOCKSTEP_ROUGH_1)
LOCKSTEP_ROUGH_MATHS_2(LOCKSTEP_ROUGH_2)
#undef LOCKSTEP_1
#undef LOCKSTEP_2
#undef LOCKSTEP_3
#undef LOCKSTEP_WITH_INT
#undef LOCKSTEP_ROUGH_1
#undef LOCKSTEP_ROUGH_2

#ifndef __SYCL_DEVICE_ONLY__
// The next representable half, not the next float.
template <> inline _Float16 nextafter(_Float16 x, _Float16 y) {
  if (x != x || y != y || x == y)
    return x == y ? y : x + y;
  return bit_cast<_Float16>(neighbor(bit_cast<half>(x), y > x));
}
#endif

inline _Float16 bare(half x) {
  return bit_cast<_Float16>(x);
}
inline half dressed(_Float16 x) {
  return bit_cast<half>(x);
}

} // namespace detail::maths

#define LOCKSTEP_1(length, name)                                                                   \
  inline float name(float x) {                                                                     \
    return detail::maths::name(x);                                                                 \
  }                                                                                                \
  inline double name(double x) {                                                                   \
    return detail::maths::name(x);                                                                 \
  }                                                                                                \
  inline half name(half x) {                                                                       \
    return detail::maths::dressed(detail::maths::name(detail::maths::bare(x)));                    \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_1(floating, name)
#define LOCKSTEP_2(length, name)                                                                   \
  inline float name(float x, float y) {                                                            \
    return detail::maths::name(x, y);                                                              \
  }                                                                                                \
  inline double name(double x, double y) {                                                         \
    return detail::maths::name(x, y);                                                              \
  }                                                                                                \
  inline half name(half x, half y) {                                                               \
    return detail::maths::dressed(                                                                 \
        detail::maths::name(detail::maths::bare(x), detail::maths::bare(y)));                      \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_2(floating, name)
#define LOCKSTEP_3(length, name)                                                                   \
  inline float name(float x, float y, float z) {                                                   \
    return detail::maths::name(x, y, z);                                                           \
  }                                                                                                \
  inline double name(double x, double y, double z) {                                               \
    return detail::maths::name(x, y, z);                                                           \
  }                                                                                                \
  inline half name(half x, half y, half z) {                                                       \
    return detail::maths::dressed(detail::maths::name(                                             \
        detail::maths::bare(x), detail::maths::bare(y), detail::maths::bare(z)));                  \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_3(floating, name)
// The int argument is one value for all elements, or a vec or marray with as many elements.
#define LOCKSTEP_WITH_INT(length, name)                                                            \
  inline float name(float x, int n) {                                                              \
    return detail::maths::name(x, n);                                                              \
  }                                                                                                \
  inline double name(double x, int n) {                                                            \
    return detail::maths::name(x, n);                                                              \
  }                                                                                                \
  inline half name(half x, int n) {                                                                \
    return detail::maths::dressed(detail::maths::name(detail::maths::bare(x), n));                 \
  }                                                                                                \
  template <class A, class B,                                                                      \
            std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A>(), int> = 0,    \
            std::enable_if_t<std::is_integral_v<B> ||                                              \
                                 std::is_same_v<detail::whole_argument<B>,                         \
                                                detail::with_element<detail::whole<A>, int>>,      \
                             int> = 0>                                                             \
  auto name(const A &a, const B &b) {                                                              \
    using E = detail::whole_element<A>;                                                            \
    return detail::each_element([](E x, int n) { return name(x, n); }, a, b);                      \
  }
#define LOCKSTEP_ROUGH_1(native_length, half_length, name)                                         \
  namespace native {                                                                               \
  inline float name(float x) {                                                                     \
    return detail::maths::native_##name(x);                                                        \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_1(single, name)                                                            \
  }                                                                                                \
  namespace half_precision {                                                                       \
  inline float name(float x) {                                                                     \
    return detail::maths::half_##name(x);                                                          \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_1(single, name)                                                            \
  }
#define LOCKSTEP_ROUGH_2(native_length, half_length, name)                                         \
  namespace native {                                                                               \
  inline float name(float x, float y) {                                                            \
    return detail::maths::native_##name(x, y);                                                     \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_2(single, name)                                                            \
  }                                                                                                \
  namespace half_precision {                                                                       \
  inline float name(float x, float y) {                                                            \
    return detail::maths::half_##name(x, y);                                                       \
  }                                                                                                \
  LOCKSTEP_EACH_ELEMENT_2(single, name)                                                            \
  }
LOCKSTEP_MATHS_1(LOCKSTEP_1)
LOCKSTEP_MATHS_2(LOCKSTEP_2)
LOCKSTEP_MATHS_3(LOCKSTEP_3)
LOCKSTEP_MATHS_WITH_INT(LOCKSTEP_WITH_INT)
LOCKSTEP_ROUGH_MATHS_1(LOCKSTEP_ROUGH_1)
LOCKSTEP_ROUGH_MATHS_2(LOCKSTEP_ROUGH_2)
#undef LOCKSTEP_1
#undef LOCKSTEP_2
#undef LOCKSTEP_3
#undef LOCKSTEP_WITH_INT
#undef LOCKSTEP_ROUGH_1
#undef LOCKSTEP_ROUGH_2

inline int ilogb(float x) {
  return detail::maths::ilogb(x);
}
inline int ilogb(double x) {
  return detail::maths::ilogb(x);
}
inline int ilogb(half x) {
  return detail::maths::ilogb(detail::maths::bare(x));
}
LOCKSTEP_EACH_ELEMENT_1(floating, ilogb)

// Returns a quiet NaN with these payload bits.
constexpr float nan(std::uint32_t bits) {
  return bit_cast<float>(0x7fc00000u | (bits & 0x003fffffu));
}
constexpr double nan(std::uint64_t bits) {
  return bit_cast<double>(0x7ff8000000000000u | (bits & 0x0007ffffffffffffu));
}
constexpr half nan(std::uint16_t bits) {
  return bit_cast<half>(std::uint16_t(0x7e00u | (bits & 0x01ffu)));
}
LOCKSTEP_EACH_ELEMENT_1(integers, nan)

} // namespace sycl

#undef LOCKSTEP_MATHS_1
#undef LOCKSTEP_MATHS_2
#undef LOCKSTEP_MATHS_3
#undef LOCKSTEP_MATHS_WITH_INT
#undef LOCKSTEP_ROUGH_MATHS_1
#undef LOCKSTEP_ROUGH_MATHS_2
