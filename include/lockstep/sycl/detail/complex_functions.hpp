// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// std::complex in kernels: std::exp(z) and similar functions call the complex functions of the C
// library, so this header defines those functions under their C names.
//
// Special values follow annex G of C. The formulas of inverse sine and cosine are from W. Kahan
// (Branch cuts for complex elementary functions); they avoid cancellation.
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include "sycl/math.hpp"

namespace sycl::detail::complex_functions {

template <class T> struct complex_of_c;
template <> struct complex_of_c<float> {
  using type = _Complex float;
};
template <> struct complex_of_c<double> {
  using type = _Complex double;
};

template <class T> struct complex {
  T re, im;
  using of_c = typename complex_of_c<T>::type;
  complex(T of_re, T of_im) : re(of_re), im(of_im) {}
  complex(of_c z) : re(__real__ z), im(__imag__ z) {}
  operator of_c() const {
    of_c z;
    __real__ z = re;
    __imag__ z = im;
    return z;
  }
};
template <class T> constexpr T infinity = __builtin_inff();
template <class T> constexpr T nan = __builtin_nanf("");
template <class T> constexpr T half_pi = 1.57079632679489661923;

template <class T> T abs(complex<T> z) {
  return sycl::hypot(z.re, z.im);
}
template <class T> T arg(complex<T> z) {
  return sycl::atan2(z.im, z.re);
}
template <class T> complex<T> proj(complex<T> z) {
  if (__builtin_isinf(z.re) || __builtin_isinf(z.im))
    return {infinity<T>, sycl::copysign(T(0), z.im)};
  return z;
}

template <class T> complex<T> exp(complex<T> z) {
  if (z.im == 0)
    return {sycl::exp(z.re), z.im};
  if (__builtin_isinf(z.re) && !__builtin_isfinite(z.im)) {
    if (z.re > 0)
      return {z.re, nan<T>};
    return {0, 0};
  }
  const T radius = sycl::exp(z.re);
  return {radius * sycl::cos(z.im), radius * sycl::sin(z.im)};
}
template <class T> complex<T> log(complex<T> z) {
  return {sycl::log(abs(z)), arg(z)};
}
template <class T> complex<T> log10(complex<T> z) {
  constexpr T of_e = 0.43429448190325182765;
  return {sycl::log10(abs(z)), arg(z) * of_e};
}

template <class T> complex<T> sqrt(complex<T> z) {
  if (__builtin_isinf(z.im))
    return {infinity<T>, z.im};
  if (__builtin_isinf(z.re)) {
    const T small = __builtin_isnan(z.im) ? z.im : T(0);
    return z.re > 0 ? complex<T>(z.re, sycl::copysign(small, z.im))
                    : complex<T>(sycl::fabs(small), sycl::copysign(infinity<T>, z.im));
  }
  if (z.re == 0 && z.im == 0)
    return {0, z.im};
  // Scaled by 1/4, so that the sum of modulus and real part cannot overflow.
  const T root = 2 * sycl::sqrt(sycl::fabs(z.re) / 8 + sycl::hypot(z.re / 8, z.im / 8));
  if (z.re >= 0)
    return {root, z.im / (2 * root)};
  return {sycl::fabs(z.im) / (2 * root), sycl::copysign(root, z.im)};
}

template <class T> complex<T> pow(complex<T> base, complex<T> power) {
  const complex<T> l = log(base);
  if (base.re == 0 && base.im == 0 && power.re > 0)
    return {0, 0};
  return exp(complex<T>(power.re * l.re - power.im * l.im, power.re * l.im + power.im * l.re));
}

template <class T> complex<T> sinh(complex<T> z) {
  if (z.im == 0)
    return {sycl::sinh(z.re), z.im};
  if ((__builtin_isinf(z.re) || z.re == 0) && !__builtin_isfinite(z.im))
    return {z.re, nan<T>};
  return {sycl::sinh(z.re) * sycl::cos(z.im), sycl::cosh(z.re) * sycl::sin(z.im)};
}
template <class T> complex<T> cosh(complex<T> z) {
  if (__builtin_isinf(z.re) && !__builtin_isfinite(z.im))
    return {infinity<T>, nan<T>};
  if (z.re == 0)
    return {sycl::cos(z.im), __builtin_isfinite(z.im) ? sycl::copysign(z.re, z.re * z.im) : z.re};
  if (z.im == 0)
    return {sycl::cosh(z.re), z.re > 0 ? z.im : -z.im};
  return {sycl::cosh(z.re) * sycl::cos(z.im), sycl::sinh(z.re) * sycl::sin(z.im)};
}
template <class T> complex<T> tanh(complex<T> z) {
  if (__builtin_isinf(z.re))
    return {sycl::copysign(T(1), z.re),
            sycl::copysign(T(0), __builtin_isfinite(z.im) ? sycl::sin(2 * z.im) : T(1))};
  if (z.re == 0 && !__builtin_isfinite(z.im))
    return {z.re, nan<T>};
  if (z.im == 0)
    return {sycl::tanh(z.re), z.im};
  // Numerator and denominator are divided by cosh squared, so that neither overflows.
  const T t = sycl::tanh(z.re), c = sycl::cos(z.im), s = sycl::sin(z.im);
  const T inverse = 1 / sycl::cosh(z.re), square = inverse * inverse;
  const T divisor = t * t + c * c * square;
  return {t / divisor, c * s * square / divisor};
}

// Trigonometric functions are computed from the hyperbolic ones, by identities such as sin(z) = -i
// sinh(i z).
template <class T> complex<T> times_i(complex<T> z) {
  return {-z.im, z.re};
}
template <class T> complex<T> over_i(complex<T> z) {
  return {z.im, -z.re};
}
template <class T> complex<T> sin(complex<T> z) {
  return over_i(sinh(times_i(z)));
}
template <class T> complex<T> cos(complex<T> z) {
  return cosh(times_i(z));
}
template <class T> complex<T> tan(complex<T> z) {
  return over_i(tanh(times_i(z)));
}

// The real part of a * b, and the imaginary part of conj(a) * b.
template <class T> T real_of_product(complex<T> a, complex<T> b) {
  return a.re * b.re - a.im * b.im;
}
template <class T> T imaginary_with_conjugate(complex<T> a, complex<T> b) {
  return a.re * b.im - a.im * b.re;
}
template <class T> bool is_infinite(complex<T> z) {
  return __builtin_isinf(z.re) || __builtin_isinf(z.im);
}
template <class T> complex<T> asin(complex<T> z) {
  if (is_infinite(z))
    return {sycl::atan2(z.re, sycl::fabs(z.im)), sycl::copysign(infinity<T>, z.im)};
  if (z.re == 0 && __builtin_isnan(z.im))
    return z;
  const complex<T> low = sqrt(complex<T>(1 - z.re, -z.im)), high = sqrt(complex<T>(1 + z.re, z.im));
  return {sycl::atan2(z.re, real_of_product(low, high)),
          sycl::copysign(sycl::asinh(imaginary_with_conjugate(low, high)), z.im)};
}
template <class T> complex<T> acos(complex<T> z) {
  if (is_infinite(z))
    return {sycl::atan2(sycl::fabs(z.im), z.re), sycl::copysign(infinity<T>, -z.im)};
  if (z.re == 0 && __builtin_isnan(z.im))
    return {half_pi<T>, z.im};
  const complex<T> low = sqrt(complex<T>(1 - z.re, -z.im)), high = sqrt(complex<T>(1 + z.re, z.im));
  return {2 * sycl::atan2(low.re, high.re),
          sycl::copysign(sycl::asinh(imaginary_with_conjugate(high, low)), -z.im)};
}
template <class T> complex<T> acosh(complex<T> z) {
  if (is_infinite(z))
    return {infinity<T>, sycl::atan2(z.im, z.re)};
  if (z.re == 0 && __builtin_isnan(z.im))
    return {z.im, half_pi<T>};
  const complex<T> low = sqrt(complex<T>(z.re - 1, z.im)), high = sqrt(complex<T>(z.re + 1, z.im));
  return {sycl::asinh(low.re * high.re + low.im * high.im), 2 * sycl::atan2(low.im, high.re)};
}
template <class T> complex<T> asinh(complex<T> z) {
  return over_i(asin(times_i(z)));
}
template <class T> complex<T> atanh(complex<T> z) {
  const T re = sycl::fabs(z.re), beyond = 1 - re, squares = beyond * beyond + z.im * z.im;
  if (__builtin_isinf(squares) || is_infinite(z)) // large argument: 1/z and a right angle
    return {sycl::copysign(T(0), z.re),
            __builtin_isnan(z.im) ? z.im : sycl::copysign(half_pi<T>, z.im)};
  if (z.re == 0 && __builtin_isnan(z.im))
    return z;
  return {sycl::copysign(sycl::log1p(4 * re / squares) / 4, z.re),
          sycl::atan2(2 * z.im, beyond * (1 + re) - z.im * z.im) / 2};
}
template <class T> complex<T> atan(complex<T> z) {
  return over_i(atanh(times_i(z)));
}

#define LOCKSTEP_COMPLEX(function)                                                                 \
  inline _Complex float function##_f(_Complex float z) __asm__("c" #function "f");                 \
  inline _Complex float function##_f(_Complex float z) {                                           \
    return function(complex<float>(z));                                                            \
  }                                                                                                \
  inline _Complex double function##_d(_Complex double z) __asm__("c" #function);                   \
  inline _Complex double function##_d(_Complex double z) {                                         \
    return function(complex<double>(z));                                                           \
  }
#define LOCKSTEP_OF_COMPLEX(function)                                                              \
  inline float function##_f(_Complex float z) __asm__("c" #function "f");                          \
  inline float function##_f(_Complex float z) {                                                    \
    return function(complex<float>(z));                                                            \
  }                                                                                                \
  inline double function##_d(_Complex double z) __asm__("c" #function);                            \
  inline double function##_d(_Complex double z) {                                                  \
    return function(complex<double>(z));                                                           \
  }
LOCKSTEP_OF_COMPLEX(abs)
LOCKSTEP_OF_COMPLEX(arg)
LOCKSTEP_COMPLEX(proj)
LOCKSTEP_COMPLEX(exp)
LOCKSTEP_COMPLEX(log)
LOCKSTEP_COMPLEX(log10)
LOCKSTEP_COMPLEX(sqrt)
LOCKSTEP_COMPLEX(sin)
LOCKSTEP_COMPLEX(cos)
LOCKSTEP_COMPLEX(tan)
LOCKSTEP_COMPLEX(sinh)
LOCKSTEP_COMPLEX(cosh)
LOCKSTEP_COMPLEX(tanh)
LOCKSTEP_COMPLEX(asin)
LOCKSTEP_COMPLEX(acos)
LOCKSTEP_COMPLEX(atan)
LOCKSTEP_COMPLEX(asinh)
LOCKSTEP_COMPLEX(acosh)
LOCKSTEP_COMPLEX(atanh)
inline _Complex float pow_f(_Complex float base, _Complex float power) __asm__("cpowf");
inline _Complex float pow_f(_Complex float base, _Complex float power) {
  return pow(complex<float>(base), complex<float>(power));
}
inline _Complex double pow_d(_Complex double base, _Complex double power) __asm__("cpow");
inline _Complex double pow_d(_Complex double base, _Complex double power) {
  return pow(complex<double>(base), complex<double>(power));
}
#undef LOCKSTEP_COMPLEX
#undef LOCKSTEP_OF_COMPLEX

} // namespace sycl::detail::complex_functions
#endif
