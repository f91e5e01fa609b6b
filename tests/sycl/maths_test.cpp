// Math functions on the host and in a kernel, compared with long double and with results computed
// by hand.
#include <sycl/sycl.hpp>

#include "check.h"
#include "expect_numbers.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

namespace {

using sycl::half;
using Real = long double;
const Real pi = 3.14159265358979323846264338327950288L;

// x is in (0, 1), y in (-4, 4), n in -3, -2, 3, 4. Rows: expression, reference value.
#define FUNCTIONS(X)                                                                               \
  X(acos(x), std::acos(p))                                                                         \
  X(acosh(x + T(1)), std::acosh(p + 1))                                                            \
  X(acospi(x), std::acos(p) / pi)                                                                  \
  X(asin(x), std::asin(p))                                                                         \
  X(asinh(x), std::asinh(p))                                                                       \
  X(asinpi(x), std::asin(p) / pi)                                                                  \
  X(atan(x), std::atan(p))                                                                         \
  X(atanh(x), std::atanh(p))                                                                       \
  X(atanpi(x), std::atan(p) / pi)                                                                  \
  X(cbrt(y), std::cbrt(q))                                                                         \
  X(ceil(y), std::ceil(q))                                                                         \
  X(cos(x), std::cos(p))                                                                           \
  X(cosh(y), std::cosh(q))                                                                         \
  X(cospi(y), std::cos(pi *q))                                                                     \
  X(erf(y), std::erf(q))                                                                           \
  X(erfc(x), std::erfc(p))                                                                         \
  X(exp(y), std::exp(q))                                                                           \
  X(exp10(y), std::pow(10.0L, q))                                                                  \
  X(exp2(y), std::exp2(q))                                                                         \
  X(expm1(y), std::expm1(q))                                                                       \
  X(fabs(y), std::fabs(q))                                                                         \
  X(floor(y), std::floor(q))                                                                       \
  X(lgamma(x), std::lgamma(p))                                                                     \
  X(log(x), std::log(p))                                                                           \
  X(log10(x), std::log10(p))                                                                       \
  X(log1p(x), std::log1p(p))                                                                       \
  X(log2(x), std::log2(p))                                                                         \
  X(logb(y), std::logb(q))                                                                         \
  X(rint(y), std::rint(q))                                                                         \
  X(round(y), std::round(q))                                                                       \
  X(rsqrt(x), 1 / std::sqrt(p))                                                                    \
  X(sin(y), std::sin(q))                                                                           \
  X(sinh(y), std::sinh(q))                                                                         \
  X(sinpi(y), std::sin(pi *q))                                                                     \
  X(sqrt(x), std::sqrt(p))                                                                         \
  X(tan(x), std::tan(p))                                                                           \
  X(tanh(y), std::tanh(q))                                                                         \
  X(tanpi(y), std::tan(pi *q))                                                                     \
  X(tgamma(x), std::tgamma(p))                                                                     \
  X(trunc(y), std::trunc(q))                                                                       \
  X(atan2(x, y), std::atan2(p, q))                                                                 \
  X(atan2pi(x, y), std::atan2(p, q) / pi)                                                          \
  X(copysign(x, y), std::copysign(p, q))                                                           \
  X(fdim(x, y), p > q ? p - q : 0)                                                                 \
  X(fmax(x, y), p > q ? p : q)                                                                     \
  X(fmin(x, y), p < q ? p : q)                                                                     \
  X(fmod(y, x), q - p * std::trunc(q / p))                                                         \
  X(hypot(x, y), std::sqrt(p *p + q * q))                                                          \
  X(maxmag(x, y), std::fabs(p) > std::fabs(q) ? p : q)                                             \
  X(minmag(x, y), std::fabs(p) < std::fabs(q) ? p : q)                                             \
  X(pow(x, y), std::pow(p, q))                                                                     \
  X(powr(x, y), std::pow(p, q))                                                                    \
  X(remainder(y, x), q - p * std::rint(q / p))                                                     \
  X(fma(x, y, x), p *q + p)                                                                        \
  X(mad(x, y, x), p *q + p)                                                                        \
  X(ldexp(x, n), p *std::exp2(Real(n)))                                                            \
  X(pown(y, n), std::pow(q, Real(n)))                                                              \
  X(rootn(x, n), std::pow(p, 1 / Real(n)))                                                         \
  X(ilogb(y), std::floor(std::log2(std::fabs(q))))

#define FUNCTION(result, wanted) +1
constexpr int functions = 0 FUNCTIONS(FUNCTION);
#undef FUNCTION
constexpr int points = 4;
const double xs[points] = {0.0625, 0.3125, 0.71875, 0.96875};
const double ys[points] = {-3.4375, 0.28125, 1.65625, -0.59375};
const int ns[points] = {-3, -2, 3, 4};
constexpr int allowed_units = 16; // the largest error that OpenCL C allows (section 7.4)

template <class T> void compute(T x, T y, int n, T *to) {
  int at = 0;
#define FUNCTION(result, wanted) to[at++] = sycl::result;
  FUNCTIONS(FUNCTION)
#undef FUNCTION
}

template <class T> void expect_near(T got, Real wanted, const char *what) {
  const Real unit = std::fabs(wanted) * Real(double(std::numeric_limits<T>::epsilon()));
  const Real least = Real(double(std::numeric_limits<T>::epsilon())) / 16; // for cancellation
  if (!(std::fabs(Real(double(got)) - wanted) <= allowed_units * (unit + least)))
    check::failed(__FILE__, __LINE__,
                  std::string(what) + " of " + std::to_string(sizeof(T)) + " bytes is " +
                      std::to_string(double(got)) + ", not " + std::to_string(double(wanted)));
}

template <class T> void test_functions() {
  sycl::queue queue;
  T *out = sycl::malloc_shared<T>(functions * points, queue);
  T *in = sycl::malloc_shared<T>(2 * points, queue);
  int *whole = sycl::malloc_shared<int>(points, queue);
  for (int i = 0; i < points; ++i)
    in[i] = T(xs[i]), in[points + i] = T(ys[i]), whole[i] = ns[i];
  const auto one = [=](int i) { compute<T>(in[i], in[points + i], whole[i], out + i * functions); };
  for (int device = 0; device < 2; ++device) {
    for (int i = 0; i < functions * points; ++i)
      out[i] = T(777.0f);
    if (device)
      queue.parallel_for(points, [=](sycl::id<1> i) { one(int(i[0])); }).wait();
    else
      for (int i = 0; i < points; ++i)
        one(i);
    for (int i = 0; i < points; ++i) {
      const Real p = xs[i], q = ys[i];
      const int n = ns[i];
      int at = i * functions;
#define FUNCTION(result, wanted) expect_near(out[at++], wanted, #result);
      FUNCTIONS(FUNCTION)
#undef FUNCTION
    }
  }
  sycl::free(out, queue);
  sycl::free(in, queue);
  sycl::free(whole, queue);
}

TEST(maths_of_float) {
  test_functions<float>();
}
TEST(maths_of_double) {
  test_functions<double>();
}
TEST(maths_of_half) {
  test_functions<half>();
}

TEST(maths_by_elements) {
  expect_numbers<double>(
      [](double *to) {
        const sycl::float3 v(-1.5f, 4.0f, 0.25f);
        const sycl::marray<double, 2> m(9.0, -2.25);
        *to++ = sycl::fabs(v)[0], *to++ = sycl::sqrt(v)[1],
        *to++ = sycl::sqrt(v.swizzle<2, 1, 0>())[0];
        *to++ = sycl::fabs(m)[1], *to++ = sycl::fmax(v, 1.0f)[2],
        *to++ = sycl::fmin(v, v.swizzle<2, 2, 2>())[1];
        *to++ = sycl::fma(v, v, v)[0], *to++ = sycl::ldexp(v, sycl::int3(1, 2, 3))[1];
        *to++ = sycl::ldexp(m, 3)[0], *to++ = sycl::ilogb(v)[2];
        *to++ = sycl::floor(sycl::half2(half(2.5f), half(-2.5f)))[1];
        *to++ = sycl::pown(m, sycl::marray<int, 2>(2, 1))[0];
        *to++ = sycl::bit_cast<std::uint32_t>(sycl::nan(0x12u));
        *to++ = sycl::bit_cast<std::uint32_t>(sycl::nan(sycl::uint2(1, 3))[1]);
        *to++ = sycl::nextafter(half(1), half(2));
        *to++ = sycl::nextafter(half(1), half(-2));
      },
      {1.5, 2, 0.5, 2.25, 1, 0.25, 0.75, 16, 72, -2, -3, 81, 0x7fc00012, 0x7fc00003, 1 + 0x1p-10,
       1 - 0x1p-11});
}

TEST(rough_maths) {
  // Within 8192 units in the last place of float; here native functions exceed their minimum
  // accuracy.
  sycl::queue queue;
  constexpr int count = 28;
  float *out = sycl::malloc_shared<float>(count, queue);
  const auto compute = [=](float x) {
    int at = 0;
#define BOTH(call) out[at++] = sycl::native::call, out[at++] = sycl::half_precision::call;
    BOTH(cos(x))
    BOTH(exp(x))
    BOTH(exp10(x))
    BOTH(exp2(x))
    BOTH(log(x))
    BOTH(log10(x))
    BOTH(log2(x))
    BOTH(recip(x))
    BOTH(rsqrt(x))
    BOTH(sin(x))
    BOTH(sqrt(sycl::float2(x, 1.0f))[0])
    BOTH(tan(x))
    BOTH(divide(x, 3.0f))
    BOTH(powr(x, sycl::float2(1.0f, 3.0f))[1])
#undef BOTH
  };
  const double x = 0.71875;
  const double wanted[count / 2] = {
      std::cos(x),  std::exp(x), std::pow(10.0, x), std::exp2(x), std::log(x),  std::log10(x),
      std::log2(x), 1 / x,       1 / std::sqrt(x),  std::sin(x),  std::sqrt(x), std::tan(x),
      x / 3,        x * x * x};
  for (int device = 0; device < 2; ++device) {
    float *from = sycl::malloc_shared<float>(1, queue);
    *from = float(x);
    if (device)
      queue.single_task([=] { compute(*from); }).wait();
    else
      compute(*from);
    sycl::free(from, queue);
    for (int i = 0; i < count; ++i) {
      EXPECT(std::fabs(out[i] - wanted[i / 2]) <= 8192 * 0x1p-23 * std::fabs(wanted[i / 2]));
      out[i] = 777;
    }
  }
  sycl::free(out, queue);
}

// Functions without a builtin in OpenCL C.
template <class T> struct OfC {
  T scaled, scaled_by_long, nearest, not_a_number;
  long rounded, rounded_to_even;
  long long rounded_long;
  int quotient, remainder;
  long long long_quotient, long_remainder;
};
template <class T> OfC<T> of_c(T x, int n) {
  const std::div_t parts = std::div(1000 + n, n);
  const std::lldiv_t long_parts = std::lldiv((1LL << 40) + n, 3LL * n);
  return {std::scalbn(x, n), std::scalbln(x, -long(n) * 1000000),
          std::nearbyint(x), T(std::nan("")),
          std::lround(x),    std::lrint(x),
          std::llround(x),   parts.quot,
          parts.rem,         long_parts.quot,
          long_parts.rem};
}
template <class T> void compare_of_c() {
  sycl::queue queue;
  auto *got = sycl::malloc_shared<OfC<T>>(1, queue);
  for (T x : {T(2.5), T(-2.5), T(-0.4), T(3.5), T(1e9)})
    for (int n : {-7, 3, 90}) {
      queue.single_task([=] { *got = of_c(x, n); }).wait();
      const OfC<T> wanted = of_c(x, n);
      EXPECT_EQ(got->scaled, wanted.scaled);
      EXPECT_EQ(got->scaled_by_long, wanted.scaled_by_long);
      EXPECT_EQ(got->nearest, wanted.nearest);
      EXPECT(std::isnan(got->not_a_number));
      EXPECT_EQ(got->rounded, wanted.rounded);
      EXPECT_EQ(got->rounded_to_even, wanted.rounded_to_even);
      EXPECT_EQ(got->rounded_long, wanted.rounded_long);
      EXPECT_EQ(got->quotient, wanted.quotient);
      EXPECT_EQ(got->remainder, wanted.remainder);
      EXPECT_EQ(got->long_quotient, wanted.long_quotient);
      EXPECT_EQ(got->long_remainder, wanted.long_remainder);
    }
  sycl::free(got, queue);
}
TEST(functions_of_c_without_builtins) {
  compare_of_c<float>();
  compare_of_c<double>();
}

} // namespace
