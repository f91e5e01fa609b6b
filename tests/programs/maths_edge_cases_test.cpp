// Arguments for which C (C99 F.9) or OpenCL C (7.5.1) specifies the result, including the sign of
// zero. Tests scalars and vectors, and compares them with the host's C library if it has the
// function.
#include "opencl_fixture.h"

#include <cmath>
#include <limits>
#include <string>

namespace lockstep::test {
namespace {

template <class T> struct OfHost {
  const char *name;
  T (*function)(T);
};
template <class T>
const OfHost<T> functions[] = {
    {"acos", std::acos},   {"acosh", std::acosh}, {"asin", std::asin},     {"asinh", std::asinh},
    {"atan", std::atan},   {"atanh", std::atanh}, {"cbrt", std::cbrt},     {"ceil", std::ceil},
    {"cos", std::cos},     {"cosh", std::cosh},   {"erf", std::erf},       {"erfc", std::erfc},
    {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1},   {"fabs", std::fabs},
    {"floor", std::floor}, {"log", std::log},     {"log10", std::log10},   {"log1p", std::log1p},
    {"log2", std::log2},   {"logb", std::logb},   {"lgamma", std::lgamma}, {"rint", std::rint},
    {"round", std::round}, {"sin", std::sin},     {"sinh", std::sinh},     {"sqrt", std::sqrt},
    {"tan", std::tan},     {"tanh", std::tanh},   {"tgamma", std::tgamma}, {"trunc", std::trunc}};

template <class T> const T not_a_number = std::numeric_limits<T>::quiet_NaN();
template <class T> const T infinity = std::numeric_limits<T>::infinity();

template <class T> std::vector<T> arguments() {
  return {T(0),  T(-0.0), infinity<T>, -infinity<T>, not_a_number<T>, T(1),
          T(-1), T(2),    T(-2),       T(0.5),       T(-3),           T(1e-30)};
}

template <class T> class MathsEdgeCases : public DeviceTest {
protected:
  static constexpr bool is_double = sizeof(T) == 8;
  static bool is_as_wanted(T got, T wanted) {
    if (std::isnan(wanted))
      return std::isnan(got);
    return std::signbit(got) == std::signbit(wanted) &&
           (got == wanted || std::abs(got - wanted) <= T(1e-5) * std::abs(wanted));
  }

  struct Results {
    std::vector<T> first, second;
  };
  // `statement` uses x and p, the address for a second result, and assigns r.
  Results run(const std::string &statement, int width) {
    const std::string type =
        std::string(is_double ? "double" : "float") + (width == 1 ? "" : std::to_string(width));
    const Program program =
        build(("kernel void f(global " + type + " *in, global " + type + " *out, global " + type +
               " *more) { size_t i = get_global_id(0); " + type + " x = in[i], r, p = 0; " +
               statement + "; out[i] = r; more[i] = p; }")
                  .c_str(),
              "-cl-std=CL3.0");
    const std::vector<T> in = arguments<T>();
    const Memory from = make_buffer(in.size() * sizeof(T)), to = make_buffer(in.size() * sizeof(T)),
                 more = make_buffer(in.size() * sizeof(T));
    write(from, in);
    const Kernel kernel = make_kernel(program, "f");
    cl_uint number = 0;
    for (const Memory *memory : {&from, &to, &more}) {
      const cl_mem handle = *memory;
      EXPECT_EQ(clSetKernelArg(kernel, number++, sizeof handle, &handle), CL_SUCCESS);
    }
    const size_t items = in.size() / width;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    return {this->template read<T>(to, in.size()), this->template read<T>(more, in.size())};
  }
  void expect(const std::string &what, const std::vector<T> &got, const std::vector<T> &wanted) {
    const std::vector<T> in = arguments<T>();
    for (size_t i = 0; i < in.size(); ++i)
      EXPECT_TRUE(is_as_wanted(got[i], wanted[i]))
          << what << " of " << in[i] << " is " << got[i] << ", not " << wanted[i];
  }
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MathsEdgeCases, Types);

TYPED_TEST(MathsEdgeCases, OfOneArgumentAreThoseOfC) {
  using T = TypeParam;
  for (const OfHost<T> &function : functions<T>) {
    std::vector<T> wanted;
    for (T x : arguments<T>())
      wanted.push_back(function.function(x));
    for (int width : {1, 2, 4})
      this->expect(function.name,
                   this->run("r = " + std::string(function.name) + "(x)", width).first, wanted);
  }
}

TYPED_TEST(MathsEdgeCases, OfSineAndCosineAtOnceAreThoseOfC) {
  using T = TypeParam;
  std::vector<T> sines, cosines;
  for (T x : arguments<T>()) {
    sines.push_back(std::sin(x));
    cosines.push_back(std::cos(x));
  }
  for (int width : {1, 4}) {
    const auto results = this->run("r = sincos(x, &p)", width);
    this->expect("sincos", results.first, sines);
    this->expect("sincos' cosine", results.second, cosines);
  }
}

TYPED_TEST(MathsEdgeCases, OfFractionsHaveTheArgumentsSign) {
  using T = TypeParam;
  std::vector<T> parts, wholes;
  for (T x : arguments<T>()) {
    wholes.push_back(std::floor(x));
    parts.push_back(x == 0 || std::isinf(x) ? std::copysign(T(0), x) : x - std::floor(x));
  }
  for (int width : {1, 2, 4}) {
    const auto results = this->run("r = fract(x, &p)", width);
    this->expect("fract", results.first, parts);
    this->expect("fract's whole part", results.second, wholes);
  }
}

// Just below an integer the fraction would round to 1.
TYPED_TEST(MathsEdgeCases, OfFractionsAreBelowOne) {
  const auto results = this->run("r = fract(-fabs(x), &p)", 1);
  EXPECT_LT(results.first.back(), TypeParam(1)); // for -1e-30
  EXPECT_GT(results.first.back(), TypeParam(0.9999999));
  EXPECT_EQ(results.second.back(), TypeParam(-1));
}

} // namespace
} // namespace lockstep::test
