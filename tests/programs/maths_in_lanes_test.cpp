// Math functions give the same bits in vector lanes as for a single work-item. That also holds if
// only some lanes take the slow path (NaN, infinities, subnormals, huge arguments). Both kernels
// have the same source; one requires sub-groups of one work-item.
#include "opencl_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace lockstep::test {
namespace {

// An expression of the arguments x, y, z and the integer n; it stores a second result to `more`.
struct Function {
  const char *name;
  const char *expression;
  bool returns_int = false;
};

constexpr Function functions[] = {
    {"acos", "acos(x)"},
    {"acosh", "acosh(x)"},
    {"acospi", "acospi(x)"},
    {"asin", "asin(x)"},
    {"asinh", "asinh(x)"},
    {"asinpi", "asinpi(x)"},
    {"atan", "atan(x)"},
    {"atanh", "atanh(x)"},
    {"atanpi", "atanpi(x)"},
    {"cbrt", "cbrt(x)"},
    {"ceil", "ceil(x)"},
    {"cos", "cos(x)"},
    {"cosh", "cosh(x)"},
    {"cospi", "cospi(x)"},
    {"erf", "erf(x)"},
    {"erfc", "erfc(x)"},
    {"exp", "exp(x)"},
    {"exp10", "exp10(x)"},
    {"exp2", "exp2(x)"},
    {"expm1", "expm1(x)"},
    {"fabs", "fabs(x)"},
    {"floor", "floor(x)"},
    {"lgamma", "lgamma(x)"},
    {"log", "log(x)"},
    {"log10", "log10(x)"},
    {"log1p", "log1p(x)"},
    {"log2", "log2(x)"},
    {"logb", "logb(x)"},
    {"rint", "rint(x)"},
    {"round", "round(x)"},
    {"rsqrt", "rsqrt(x)"},
    {"sin", "sin(x)"},
    {"sinh", "sinh(x)"},
    {"sinpi", "sinpi(x)"},
    {"sqrt", "sqrt(x)"},
    {"tan", "tan(x)"},
    {"tanh", "tanh(x)"},
    {"tanpi", "tanpi(x)"},
    {"tgamma", "tgamma(x)"},
    {"trunc", "trunc(x)"},
    {"atan2", "atan2(x, y)"},
    {"atan2pi", "atan2pi(x, y)"},
    {"copysign", "copysign(x, y)"},
    {"divide", "x / y"},
    {"fdim", "fdim(x, y)"},
    {"fmax", "fmax(x, y)"},
    {"fmin", "fmin(x, y)"},
    {"fmod", "fmod(x, y)"},
    {"hypot", "hypot(x, y)"},
    {"maxmag", "maxmag(x, y)"},
    {"minmag", "minmag(x, y)"},
    {"nextafter", "nextafter(x, y)"},
    {"pow", "pow(x, y)"},
    {"powr", "powr(x, y)"},
    {"remainder", "remainder(x, y)"},
    {"fma", "fma(x, y, z)"},
    {"mad", "mad(x, y, z)"},
    {"ilogb", "ilogb(x)", true},
    {"ldexp", "ldexp(x, n)"},
    {"pown", "pown(x, n)"},
    {"rootn", "rootn(x, n)"},
    {"fract", "fract(x, &more)"},
    {"frexp", "frexp(x, &exponent)"},
    {"lgamma_r", "lgamma_r(x, &exponent)"},
    {"modf", "modf(x, &more)"},
    {"remquo", "remquo(x, y, &exponent)"},
    {"sincos", "sincos(x, &more)"},
};

std::string source_of(const Function &function, const std::string &type) {
  const std::string bits = type == "float" ? "as_int" : "as_long";
  const std::string result = function.returns_int ? "int" : type;
  const std::string body =
      "(global const T *xs, global const T *ys, global const T *zs, global R *out, global T *mores,"
      " global int *exponents) {\n"
      "  size_t i = get_global_id(0);\n"
      "  T x = xs[i], y = ys[i], z = zs[i], more = 0;\n"
      "  int n = (int)" +
      bits + "(y) >> (int)(" + bits +
      "(z) & 31), exponent = 0;\n"
      "  out[i] = " +
      function.expression +
      ";\n"
      "  mores[i] = more; exponents[i] = exponent;\n}\n";
  return "typedef " + type + " T; typedef " + result + " R;\n" + "kernel void lanes" + body +
         "__attribute__((intel_reqd_sub_group_size(1))) kernel void alone" + body;
}

// Every pair of special values, then random bits, then numbers of moderate size.
template <class T> struct Inputs {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr size_t count = 1 << 14;
  std::vector<T> x, y, z;

  Inputs() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> special = {0,
                              T(0.5),
                              1,
                              T(1.5),
                              2,
                              3,
                              10,
                              T(1e-5),
                              T(3.14159265),
                              T(1.57079633),
                              88,
                              104,
                              709,
                              746,
                              1000,
                              1e7,
                              T(1e9),
                              16777216,
                              T(4503599627370497.0),
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::min() / 3,
                              Limits::max(),
                              Limits::max() / 3,
                              Limits::epsilon(),
                              1 - Limits::epsilon() / 2,
                              Limits::infinity(),
                              Limits::quiet_NaN()};
    for (size_t i = 0, half = special.size(); i < half; ++i)
      special.push_back(-special[i]);
    std::mt19937_64 random(20261121);
    auto any_bits = [&] { return std::bit_cast<T>(static_cast<Bits>(random())); };
    auto ordinary = [&] { return T(std::uniform_real_distribution<double>(-30, 30)(random)); };
    for (T a : special)
      for (T b : special) {
        x.push_back(a);
        y.push_back(b);
        z.push_back(special[random() % special.size()]);
      }
    while (x.size() < count) {
      const bool bits = x.size() % 3 != 0;
      x.push_back(bits ? any_bits() : ordinary());
      y.push_back(bits && random() % 2 ? any_bits() : ordinary());
      z.push_back(bits && random() % 2 ? any_bits() : ordinary());
    }
    for (size_t i = count - 1; i > 0; --i) { // neighbors in a sub-group get unrelated values
      size_t other = random() % (i + 1);
      std::swap(x[i], x[other]);
      std::swap(y[i], y[other]);
      std::swap(z[i], z[other]);
    }
  }
};

template <class T> bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) && std::isnan(b)) // any NaN will do
      return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

class MathsInLanes : public DeviceTest {
protected:
  template <class R, class T> struct Results {
    std::vector<R> out;
    std::vector<T> more;
    std::vector<cl_int> exponent;
  };

  template <class R, class T>
  Results<R, T> run(cl_program program, const char *name, const std::vector<Memory> &inputs) {
    const size_t count = Inputs<T>::count;
    Kernel kernel = make_kernel(program, name);
    Memory out = make_buffer(count * sizeof(R)), more = make_buffer(count * sizeof(T)),
           exponent = make_buffer(count * sizeof(cl_int));
    cl_mem arguments[] = {inputs[0], inputs[1], inputs[2], out, more, exponent};
    for (cl_uint i = 0; i < 6; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    const size_t local = 64;
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    return {read<R>(out, count), read<T>(more, count), read<cl_int>(exponent, count)};
  }

  template <class R, class T>
  void compare(const Function &function, const char *type, const Inputs<T> &inputs,
               const std::vector<Memory> &buffers) {
    Program program = build(source_of(function, type).c_str(), "-cl-std=CL3.0");
    auto lanes = run<R, T>(program, "lanes", buffers);
    auto alone = run<R, T>(program, "alone", buffers);
    int shown = 0;
    for (size_t i = 0; i < Inputs<T>::count && shown < 3; ++i)
      if (!same(lanes.out[i], alone.out[i]) || !same(lanes.more[i], alone.more[i]) ||
          lanes.exponent[i] != alone.exponent[i]) {
        ++shown;
        ADD_FAILURE() << function.name << " of " << type << " x=" << std::hexfloat << inputs.x[i]
                      << " y=" << inputs.y[i] << " z=" << inputs.z[i] << ": in lanes "
                      << lanes.out[i] << ", alone " << alone.out[i];
      }
  }

  template <class T> std::vector<Memory> buffers_of(const Inputs<T> &inputs) {
    std::vector<Memory> buffers;
    for (const std::vector<T> *values : {&inputs.x, &inputs.y, &inputs.z}) {
      buffers.push_back(make_buffer(values->size() * sizeof(T)));
      write(buffers.back(), *values);
    }
    return buffers;
  }

  template <class T> void compare_all(const char *type) {
    const Inputs<T> inputs;
    std::vector<Memory> buffers = buffers_of(inputs);
    for (const Function &function : functions)
      if (function.returns_int)
        compare<cl_int, T>(function, type, inputs, buffers);
      else
        compare<T, T>(function, type, inputs, buffers);
  }
};

TEST_F(MathsInLanes, EqualNumbersHaveADifferenceWithoutASign) {
  const Inputs<float> inputs;
  std::vector<Memory> buffers = buffers_of(inputs);
  auto fdim =
      std::find_if(std::begin(functions), std::end(functions), [](const Function &function) {
        return std::string_view(function.name) == "fdim";
      });
  ASSERT_NE(fdim, std::end(functions));
  Program program = build(source_of(*fdim, "float").c_str(), "-cl-std=CL3.0");
  auto results = run<float, float>(program, "lanes", buffers);
  for (size_t i = 0; i < Inputs<float>::count; ++i)
    ASSERT_TRUE(same(results.out[i], std::fdim(inputs.x[i], inputs.y[i])))
        << std::hexfloat << inputs.x[i] << ' ' << inputs.y[i] << ": " << results.out[i];
}

// With -cl-denorms-are-zero a result may differ if it or an argument is subnormal, and only by
// becoming zero.
template <class T> bool is_subnormal(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL;
}
template <class T> bool same_but_for_subnormals(T exact, T flushed) {
  return same(exact, flushed) || (is_subnormal(exact) && flushed == 0);
}

TEST_F(MathsInLanes, OnlySubnormalsAreTakenForZero) {
  const Inputs<float> inputs;
  std::vector<Memory> buffers = buffers_of(inputs);
  for (const Function &function : functions) {
    if (function.returns_int ||
        std::string_view(function.name) == "mad") // mad may flush its product
      continue;
    const std::string source = source_of(function, "float");
    Program plain = build(source.c_str(), "-cl-std=CL3.0"),
            flushing = build(source.c_str(), "-cl-std=CL3.0 -cl-denorms-are-zero");
    const auto exact = run<float, float>(plain, "lanes", buffers),
               flushed = run<float, float>(flushing, "lanes", buffers);
    int shown = 0;
    for (size_t i = 0; i < Inputs<float>::count && shown < 3; ++i) {
      if (is_subnormal(inputs.x[i]) || is_subnormal(inputs.y[i]) || is_subnormal(inputs.z[i]))
        continue;
      if (!same_but_for_subnormals(exact.out[i], flushed.out[i]) ||
          !same_but_for_subnormals(exact.more[i], flushed.more[i]) ||
          exact.exponent[i] != flushed.exponent[i]) {
        ++shown;
        ADD_FAILURE() << function.name << " x=" << std::hexfloat << inputs.x[i]
                      << " y=" << inputs.y[i] << " z=" << inputs.z[i] << ": " << exact.out[i]
                      << ", with -cl-denorms-are-zero " << flushed.out[i];
      }
    }
  }
}

TEST_F(MathsInLanes, Float) {
  compare_all<float>("float");
}

TEST_F(MathsInLanes, Double) {
  compare_all<double>("double");
}

} // namespace
} // namespace lockstep::test
