// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Math functions that return a second result through a pointer (SYCL 2020, section 4.17.5). The
// builtin writes to a private variable, and C++ code copies that to the target. So any kind of
// pointer works.
#pragma once

#include "sycl/math.hpp"
#include "sycl/multi_ptr.hpp"

// X(length of the name, name, type of the second result): `same` as the argument, or int.
#define LOCKSTEP_MATHS_POINTER_1(X)                                                                \
  X(5, fract, same)                                                                                \
  X(5, frexp, number)                                                                              \
  X(8, lgamma_r, number)                                                                           \
  X(4, modf, same)                                                                                 \
  X(6, sincos, same)

static_assert(sizeof(int) == 4); // the builtins require this

namespace sycl {

namespace detail {

// The element type of a pointer that the functions can write through, otherwise void.
template <class P> struct written {
  using type = void;
};
template <class T> struct written<T *> {
  using type = remove_decoration_t<T>;
};
template <class T, access::address_space Space, access::decorated Decorated>
struct written<multi_ptr<T, Space, Decorated>> {
  using type = std::conditional_t<Space == access::address_space::constant_space, void, T>;
};
template <class P, class T>
inline constexpr bool is_written = std::is_same_v<typename written<P>::type, T>;

template <class T, class P> void write(const P &to, const T &value) {
  if constexpr (std::is_pointer_v<P>)
    *(T *)to = value;
  else
    *to.get_raw() = value;
}

template <class Whole, class Second, std::size_t... At, class Function, class P, class... T>
Whole with_second(std::index_sequence<At...>, Function function, const P &to, const T &...of) {
  Whole result;
  with_element<Whole, Second> seconds;
  Second second{};
  const auto once = [&](auto... x) { return function(&second, x...); };
  ((result[At] = for_element<At>(once, of...), seconds[At] = second), ...);
  write(to, seconds);
  return result;
}

namespace maths {

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_OUT(T) __attribute__((opencl_private)) T *
#define LOCKSTEP_same(length, name)                                                                \
  float name(float, LOCKSTEP_OUT(float)) __asm__("_Z" #length #name "fPf");                        \
  double name(double, LOCKSTEP_OUT(double)) __asm__("_Z" #length #name "dPd");                     \
  _Float16 name(_Float16, LOCKSTEP_OUT(_Float16)) __asm__("_Z" #length #name "DhPDh");
#define LOCKSTEP_number(length, name)                                                              \
  float name(float, LOCKSTEP_OUT(int)) __asm__("_Z" #length #name "fPi");                          \
  double name(double, LOCKSTEP_OUT(int)) __asm__("_Z" #length #name "dPi");                        \
  _Float16 name(_Float16, LOCKSTEP_OUT(int)) __asm__("_Z" #length #name "DhPi");
#define LOCKSTEP_DECLARE(length, name, second) LOCKSTEP_##second(length, name)
LOCKSTEP_MATHS_POINTER_1(LOCKSTEP_DECLARE)
float remquo(float, float, LOCKSTEP_OUT(int)) __asm__("_Z6remquoffPi");
double remquo(double, double, LOCKSTEP_OUT(int)) __asm__("_Z6remquoddPi");
_Float16 remquo(_Float16, _Float16, LOCKSTEP_OUT(int)) __asm__("_Z6remquoDhDhPi");
#undef LOCKSTEP_DECLARE
#undef LOCKSTEP_same
#undef LOCKSTEP_number

template <class T> auto out(T *second) {
  return (LOCKSTEP_OUT(T))second;
}
inline auto out(half *second) {
  return (LOCKSTEP_OUT(_Float16))second;
}
#undef LOCKSTEP_OUT
#else
template <class T> T fract(T x, T *whole) {
  *whole = std::floor(x);
  return std::fmin(T(x - *whole), std::nextafter(T(1), T(0)));
}
template <class T> T frexp(T x, int *exponent) {
  return std::frexp(x, exponent);
}
template <class T> T lgamma_r(T x, int *sign) {
  // The gamma function is negative between an odd negative integer and the next larger even one.
  const bool is_negative = std::signbit(x) && std::fmod(std::floor(x), T(2)) != T(0);
  *sign = x < T(0) && x == std::floor(x)                  ? 0
          : is_negative || (x == T(0) && std::signbit(x)) ? -1
                                                          : 1;
  return std::lgamma(x);
}
template <class T> T modf(T x, T *whole) {
  return std::modf(x, whole);
}
template <class T> T sincos(T x, T *cosine) {
  *cosine = std::cos(x);
  return std::sin(x);
}
// Returns the low seven bits of the quotient's magnitude; C guarantees three. Subtracts exact
// multiples of y in steps of 16, 4 and 1. If such a multiple is infinite, the quotient is too small
// to need that step.
template <class T> T remquo(T x, T y, int *quotient) {
  int sum = 0;
  T left = x;
  for (const int step : {16, 4, 1})
    if (std::isfinite(y * T(step)) || step == 1) {
      int part = 0;
      left = std::remquo(left, y * T(step), &part);
      sum += part * step;
    }
  *quotient = std::signbit(x) != std::signbit(y) ? -(-sum & 127) : sum & 127;
  return left;
}
template <class T> T *out(T *second) {
  return second;
}
#endif

} // namespace maths
} // namespace detail

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_HALF_same(name)                                                                   \
  half second{};                                                                                   \
  const half result = detail::maths::dressed(                                                      \
      detail::maths::name(detail::maths::bare(x), detail::maths::out(&second)));
#define LOCKSTEP_HALF_number(name)                                                                 \
  int second = 0;                                                                                  \
  const half result = detail::maths::dressed(                                                      \
      detail::maths::name(detail::maths::bare(x), detail::maths::out(&second)));
#else
#define LOCKSTEP_HALF_same(name)                                                                   \
  float of_float = 0;                                                                              \
  const half result = detail::maths::name(float(x), &of_float);                                    \
  const half second = of_float;
#define LOCKSTEP_HALF_number(name)                                                                 \
  int second = 0;                                                                                  \
  const half result = detail::maths::name(float(x), &second);
#endif
#define LOCKSTEP_SECOND_same(T) T
#define LOCKSTEP_SECOND_number(T) int
#define LOCKSTEP_OF_NUMBER(name, kind, T)                                                          \
  template <class P, std::enable_if_t<detail::is_written<P, LOCKSTEP_SECOND_##kind(T)>, int> = 0>  \
  T name(T x, P to) {                                                                              \
    LOCKSTEP_SECOND_##kind(T) second{};                                                            \
    const T result = detail::maths::name(x, detail::maths::out(&second));                          \
    detail::write(to, second);                                                                     \
    return result;                                                                                 \
  }
#define LOCKSTEP_DEFINE(length, name, kind)                                                        \
  LOCKSTEP_OF_NUMBER(name, kind, float)                                                            \
  LOCKSTEP_OF_NUMBER(name, kind, double)                                                           \
  template <class P,                                                                               \
            std::enable_if_t<detail::is_written<P, LOCKSTEP_SECOND_##kind(half)>, int> = 0>        \
  half name(half x, P to) {                                                                        \
    LOCKSTEP_HALF_##kind(name) detail::write(to, second);                                          \
    return result;                                                                                 \
  }                                                                                                \
  template <class A, class P,                                                                      \
            std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A>(), int> = 0>    \
  auto name(const A &a, P to) {                                                                    \
    using W = detail::whole<A>;                                                                    \
    using E = typename W::value_type;                                                              \
    using Second = LOCKSTEP_SECOND_##kind(E);                                                      \
    static_assert(detail::is_written<P, detail::with_element<W, Second>>,                          \
                  #name " writes a vec or marray of as many elements as its argument has");        \
    return detail::with_second<W, Second>(                                                         \
        std::make_index_sequence<W::size()>(),                                                     \
        [](Second *second, E x) { return name(x, second); }, to, a);                               \
  }
LOCKSTEP_MATHS_POINTER_1(LOCKSTEP_DEFINE)
#undef LOCKSTEP_DEFINE
#undef LOCKSTEP_OF_NUMBER
#undef LOCKSTEP_SECOND_same
#undef LOCKSTEP_SECOND_number
#undef LOCKSTEP_HALF_same
#undef LOCKSTEP_HALF_number

template <class P, std::enable_if_t<detail::is_written<P, int>, int> = 0>
float remquo(float x, float y, P to) {
  int quotient = 0;
  const float result = detail::maths::remquo(x, y, detail::maths::out(&quotient));
  detail::write(to, quotient);
  return result;
}
template <class P, std::enable_if_t<detail::is_written<P, int>, int> = 0>
double remquo(double x, double y, P to) {
  int quotient = 0;
  const double result = detail::maths::remquo(x, y, detail::maths::out(&quotient));
  detail::write(to, quotient);
  return result;
}
template <class P, std::enable_if_t<detail::is_written<P, int>, int> = 0>
half remquo(half x, half y, P to) {
  int quotient = 0;
#ifdef __SYCL_DEVICE_ONLY__
  const half result = detail::maths::dressed(detail::maths::remquo(
      detail::maths::bare(x), detail::maths::bare(y), detail::maths::out(&quotient)));
#else
  const half result = detail::maths::remquo(float(x), float(y), &quotient);
#endif
  detail::write(to, quotient);
  return result;
}
template <class A, class B, class P,
          std::enable_if_t<detail::are_wholes<detail::element_kind::floating, A, B>(), int> = 0>
auto remquo(const A &a, const B &b, P to) {
  using W = detail::whole<A, B>;
  using E = typename W::value_type;
  static_assert(detail::is_written<P, detail::with_element<W, int>>,
                "remquo writes a vec or marray of as many elements as its arguments have");
  return detail::with_second<W, int>(
      std::make_index_sequence<W::size()>(),
      [](int *second, E x, E y) { return remquo(x, y, second); }, to, a, b);
}

} // namespace sycl

#undef LOCKSTEP_MATHS_POINTER_1
