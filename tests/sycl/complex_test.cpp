// Functions of std::complex in kernels, compared with the host's.
#include <sycl/sycl.hpp>

#include "check.h"

#include <complex>
#include <limits>

namespace {

template <class T> struct Results {
  std::complex<T> z[21];
};
template <class T> Results<T> all_of(std::complex<T> z) {
  return {{std::exp(z),
           std::log(z),
           std::log10(z),
           std::sqrt(z),
           std::sin(z),
           std::cos(z),
           std::tan(z),
           std::sinh(z),
           std::cosh(z),
           std::tanh(z),
           std::asin(z),
           std::acos(z),
           std::atan(z),
           std::asinh(z),
           std::acosh(z),
           std::atanh(z),
           std::proj(z),
           std::pow(z, std::complex<T>(T(1.5), T(-0.5))),
           std::polar(std::abs(z), std::arg(z)),
           {std::abs(z), std::arg(z)},
           {std::norm(z), std::real(std::conj(z))}}};
}
constexpr const char *names[] = {"exp",   "log",   "log10", "sqrt", "sin",   "cos",         "tan",
                                 "sinh",  "cosh",  "tanh",  "asin", "acos",  "atan",        "asinh",
                                 "acosh", "atanh", "proj",  "pow",  "polar", "abs and arg", "norm"};

template <class T> std::vector<Results<T>> on_the_device(const std::vector<std::complex<T>> &in) {
  std::vector<Results<T>> out(in.size());
  sycl::queue queue;
  sycl::buffer of_in(in);
  sycl::buffer of_out(out);
  queue.submit([&](sycl::handler &group) {
    sycl::accessor from(of_in, group, sycl::read_only);
    sycl::accessor to(of_out, group, sycl::write_only, sycl::no_init);
    group.parallel_for(sycl::range(in.size()), [=](sycl::id<1> i) { to[i] = all_of(from[i]); });
  });
  return out;
}

// The error is relative to the whole number, because cancellation may have left little of one part.
template <class T> void compare(const std::vector<std::complex<T>> &in, T bound) {
  const std::vector<Results<T>> out = on_the_device(in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Results<T> wanted = all_of(in[i]);
    for (int f = 0; f < 21; ++f) {
      const std::complex<T> got = out[i].z[f], right = wanted.z[f];
      if (!(std::abs(got - right) <= bound * std::abs(right)))
        check::failed(__FILE__, __LINE__,
                      std::string(names[f]) + " of " + std::to_string(in[i].real()) + " " +
                          std::to_string(in[i].imag()) + " is " + std::to_string(got.real()) + " " +
                          std::to_string(got.imag()) + ", not " + std::to_string(right.real()) +
                          " " + std::to_string(right.imag()));
    }
  }
}

template <class T> std::vector<std::complex<T>> plane() {
  std::vector<std::complex<T>> all;
  for (T re : {T(-30), T(-2.25), T(-1), T(-0.3), T(-1e-4), T(1e-3), T(0.75), T(1.125), T(40)})
    for (T im : {T(-20), T(-1.5), T(-1e-3), T(1e-5), T(0.4), T(1), T(3), T(35)})
      all.emplace_back(re, im);
  return all;
}

// C leaves open which NaN results, and the sign of a zero beside a NaN or of an infinite result, also
// if the NaN is of the argument.
bool is_as_wanted(double got, double wanted, bool sign_is_open, bool sign_of_zero_is_open) {
  if (std::isnan(got) || std::isnan(wanted))
    return std::isnan(got) && std::isnan(wanted);
  if (sign_is_open)
    return std::isinf(got) == std::isinf(wanted) && (got == 0) == (wanted == 0);
  if (sign_of_zero_is_open && got == 0 && wanted == 0)
    return true;
  return std::signbit(got) == std::signbit(wanted) &&
         (got == wanted || std::abs(got - wanted) <= 1e-13 * std::abs(wanted));
}

} // namespace

TEST(functions_of_floats) {
  compare<float>(plane<float>(), 2e-5F);
}
TEST(functions_of_doubles) {
  compare<double>(plane<double>(), 1e-13);
}

// The functions under their C names.
TEST(functions_of_c) {
  sycl::queue queue;
  auto *out = sycl::malloc_shared<float>(1, queue);
  queue.single_task([=] { *out = __builtin_cabsf(3.0F + 4.0iF); }).wait();
  EXPECT_EQ(*out, 5.0F);
  sycl::free(out, queue);
}

// Both signs of zero, infinities and NaN. pow and polar are omitted: C has no requirements for
// them.
TEST(functions_of_special_values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::complex<double>> in;
  for (double re : {-infinity, -1.0, -0.0, 0.0, 2.0, infinity, nan})
    for (double im : {-infinity, -0.0, 0.0, 1.0, infinity, nan})
      in.emplace_back(re, im);
  const std::vector<Results<double>> out = on_the_device(in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Results<double> wanted = all_of(in[i]);
    for (int f = 0; f < 21; ++f) {
      const std::complex<double> got = out[i].z[f], right = wanted.z[f];
      const std::string name = names[f];
      const bool is_open = std::isnan(right.real()) || std::isnan(right.imag()) ||
                           (std::isinf(in[i].real()) && std::isinf(in[i].imag()));
      const bool has_nan = std::isnan(in[i].real()) || std::isnan(in[i].imag());
      if (name != "pow" && name != "polar" &&
          !(is_as_wanted(got.real(), right.real(), is_open, has_nan) &&
            is_as_wanted(got.imag(), right.imag(), is_open, has_nan)))
        check::failed(__FILE__, __LINE__,
                      std::string(names[f]) + " of " + std::to_string(in[i].real()) + " " +
                          std::to_string(in[i].imag()) + " is " + std::to_string(got.real()) + " " +
                          std::to_string(got.imag()) + ", not " + std::to_string(right.real()) +
                          " " + std::to_string(right.imag()));
    }
  }
}
