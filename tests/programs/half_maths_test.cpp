// Tests math functions on half (cl_khr_fp16) for every half, with the limits of OpenCL C 7.4, "ULP
// Values for Half-Precision Floating-Point Arithmetic Operations". The host's double functions
// compute the expected values, correctly rounded if the limit is 0.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace lockstep::test {
namespace {

const std::string enable = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
constexpr double pi = 3.14159265358979323846, exact = 0.5; // correct rounding is half an ulp

// sin(pi * x) and cos(pi * x), by quarters of a turn, so that zeros are exact.
double sine_of_turns(double x) {
  if (!std::isfinite(x))
    return NAN;
  const double r = std::remainder(x, 2.0);
  if (r == 0 || std::fabs(r) == 1)
    return std::copysign(0.0, x);
  return std::fabs(r) <= 0.25   ? std::sin(pi * r)
         : std::fabs(r) <= 0.75 ? std::copysign(std::cos(pi * (0.5 - std::fabs(r))), r)
                                : std::copysign(std::sin(pi * (1 - std::fabs(r))), r);
}
double cosine_of_turns(double x) {
  if (!std::isfinite(x))
    return NAN;
  const double r = std::fabs(std::remainder(x, 2.0));
  return r == 0.5    ? 0.0
         : r <= 0.25 ? std::cos(pi * r)
         : r <= 0.75 ? std::sin(pi * (0.5 - r))
                     : -std::cos(pi * (1 - r));
}
double tangent_of_turns(double x) {
  const double sine = sine_of_turns(x), cosine = cosine_of_turns(x);
  if (cosine == 0) // OpenCL C 7.5.1 specifies the pole's sign
    return std::remainder(x - 0.5, 2.0) == 0 ? INFINITY : -INFINITY;
  return sine / cosine;
}

double logarithm_base(double x) {
  return std::logb(x);
}

struct Unary {
  const char *name;
  double limit;
  double (*reference)(double);
};

const Unary unary[] = {
    {"acos", 2, [](double x) { return std::acos(x); }},
    {"acosh", 2, [](double x) { return std::acosh(x); }},
    {"acospi", 2, [](double x) { return std::acos(x) / pi; }},
    {"asin", 2, [](double x) { return std::asin(x); }},
    {"asinh", 2, [](double x) { return std::asinh(x); }},
    {"asinpi", 2, [](double x) { return std::asin(x) / pi; }},
    {"atan", 2, [](double x) { return std::atan(x); }},
    {"atanh", 2, [](double x) { return std::atanh(x); }},
    {"atanpi", 2, [](double x) { return std::atan(x) / pi; }},
    {"cbrt", 2, [](double x) { return std::cbrt(x); }},
    {"ceil", exact, [](double x) { return std::ceil(x); }},
    {"cos", 2, [](double x) { return std::cos(x); }},
    {"cosh", 2, [](double x) { return std::cosh(x); }},
    {"cospi", 2, cosine_of_turns},
    {"degrees", 2, [](double x) { return x * (180 / pi); }},
    {"erf", 4, [](double x) { return std::erf(x); }},
    {"erfc", 4, [](double x) { return std::erfc(x); }},
    {"exp", 2, [](double x) { return std::exp(x); }},
    {"exp10", 2, [](double x) { return std::pow(10, x); }},
    {"exp2", 2, [](double x) { return std::exp2(x); }},
    {"expm1", 2, [](double x) { return std::expm1(x); }},
    {"fabs", exact, [](double x) { return std::fabs(x); }},
    {"floor", exact, [](double x) { return std::floor(x); }},
    {"log", 2, [](double x) { return std::log(x); }},
    {"log10", 2, [](double x) { return std::log10(x); }},
    {"log1p", 2, [](double x) { return std::log1p(x); }},
    {"log2", 2, [](double x) { return std::log2(x); }},
    {"logb", exact, logarithm_base},
    {"radians", 2, [](double x) { return x * (pi / 180); }},
    {"rint", exact, [](double x) { return std::nearbyint(x); }},
    {"round", exact, [](double x) { return std::round(x); }},
    {"rsqrt", 1, [](double x) { return 1 / std::sqrt(x); }},
    {"sign", exact, [](double x) { return std::isnan(x) ? 0.0
                                          : x == 0      ? x
                                          : x < 0       ? -1.0
                                                        : 1.0; }},
    {"sin", 2, [](double x) { return std::sin(x); }},
    {"sinh", 2, [](double x) { return std::sinh(x); }},
    {"sinpi", 2, sine_of_turns},
    {"sqrt", exact, [](double x) { return std::sqrt(x); }},
    {"tan", 2.5, [](double x) { return std::tan(x); }},
    {"tanh", 2, [](double x) { return std::tanh(x); }},
    {"tanpi", 2, tangent_of_turns},
    {"trunc", exact, [](double x) { return std::trunc(x); }},
    {"-", exact, [](double x) { return -x; }},
};
// C treats tgamma(-1) as a domain error: the reference and Lockstep return NaN for negative
// integers. The table has no limit for lgamma: the test allows a number of ulp, or a distance from
// 0.
const Unary gammas[] = {
    {"tgamma", 4, [](double x) { return x < 0 && (x == std::floor(x)) ? NAN : std::tgamma(x); }},
};

struct Binary {
  const char *expression;
  double limit;
  double (*reference)(double, double);
};
double larger_magnitude(double x, double y) {
  return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y);
}
double smaller_magnitude(double x, double y) {
  return std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y);
}
double power_of_positive(double x, double y) {
  if (std::isnan(x) || std::isnan(y) || x < 0 || (x == 0 && y == 0) || (std::isinf(x) && y == 0) ||
      (x == 1 && std::isinf(y)))
    return NAN;
  return std::pow(std::fabs(x), y);
}
const Binary binary[] = {
    {"x + y", exact, [](double x, double y) { return x + y; }},
    {"x - y", exact, [](double x, double y) { return x - y; }},
    {"x * y", exact, [](double x, double y) { return x * y; }},
    {"x / y", 1, [](double x, double y) { return x / y; }},
    {"atan2(x, y)", 2, [](double x, double y) { return std::atan2(x, y); }},
    {"atan2pi(x, y)", 2, [](double x, double y) { return std::atan2(x, y) / pi; }},
    {"copysign(x, y)", exact, [](double x, double y) { return std::copysign(x, y); }},
    {"fdim(x, y)", exact, [](double x, double y) { return std::fdim(x, y); }},
    {"fmax(x, y)", exact, [](double x, double y) { return std::fmax(x, y); }},
    {"fmin(x, y)", exact, [](double x, double y) { return std::fmin(x, y); }},
    {"fmod(x, y)", exact, [](double x, double y) { return std::fmod(x, y); }},
    {"hypot(x, y)", 2, [](double x, double y) { return std::hypot(x, y); }},
    {"maxmag(x, y)", exact, larger_magnitude},
    {"minmag(x, y)", exact, smaller_magnitude},
    {"pow(x, y)", 4, [](double x, double y) { return std::pow(x, y); }},
    {"powr(x, y)", 4, power_of_positive},
    {"remainder(x, y)", exact, [](double x, double y) { return std::remainder(x, y); }},
    {"step(x, y)", exact, [](double x, double y) { return y < x ? 0.0 : 1.0; }},
    {"ldexp(x, n)", exact, nullptr},
    {"pown(x, n)", 4, nullptr},
    {"rootn(x, n)", 4, nullptr},
};

double root(double x, int n) {
  if (n == 0 || std::isnan(x) || (x < 0 && n % 2 == 0))
    return NAN;
  const double size = std::pow(std::fabs(x), 1.0 / n);
  return n % 2 == 0 ? size : std::copysign(size, x);
}

class HalfMaths : public DeviceTest {
protected:
  // Runs a kernel of the source; all of them take halves (or integers) and give halves.
  std::vector<uint16_t> run(const Program &program, const char *name,
                            const std::vector<cl_mem> &from, size_t items, size_t results) {
    Kernel kernel = make_kernel(program, name);
    Memory to = make_buffer(results * 2);
    cl_uint place = 0;
    for (cl_mem one : from)
      EXPECT_EQ(clSetKernelArg(kernel, place++, sizeof one, &one), CL_SUCCESS);
    cl_mem out = to;
    EXPECT_EQ(clSetKernelArg(kernel, place, sizeof out, &out), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<uint16_t>(to, results);
  }

  template <class T> Memory buffer_of(const std::vector<T> &data) {
    Memory buffer = make_buffer(data.size() * sizeof(T));
    write(buffer, data);
    return buffer;
  }

  // A limit of half an ulp allows only the correct result, with its sign; a NaN has no sign.
  bool is_right(uint16_t got, double wanted, double limit) const {
    if (limit == exact && !std::isnan(wanted))
      return got == halves_.rounded(wanted, Rounding::nearest);
    return error_in_ulps(got, wanted) <= limit;
  }

  static std::vector<uint16_t> every_half() {
    std::vector<uint16_t> all(1 << 16);
    for (size_t i = 0; i != all.size(); ++i)
      all[i] = uint16_t(i);
    return all;
  }

  const Halves halves_;
};

TEST_F(HalfMaths, UnaryFunctionsOfEveryHalf) {
  std::vector<Unary> functions(std::begin(unary), std::end(unary));
  functions.insert(functions.end(), std::begin(gammas), std::end(gammas));
  std::string source;
  for (size_t i = 0; i != functions.size(); ++i)
    source += "kernel void k" + std::to_string(i) +
              "(global const half *in, global half *out) { size_t i = get_global_id(0); out[i] = " +
              functions[i].name + "(in[i]); }\n";
  const std::vector<uint16_t> in = every_half();
  Memory from = buffer_of(in);
  for (const char *options : {"", "-cl-std=CL3.0"}) {
    Program program = build((enable + source).c_str(), options);
    for (size_t i = 0; i != functions.size(); ++i) {
      if (*options && i % 8 != 0)
        continue; // tests some of the functions in this language
      auto out = run(program, ("k" + std::to_string(i)).c_str(), {from}, in.size(), in.size());
      size_t wrong = 0;
      for (size_t j = 0; j != in.size(); ++j) {
        const double x = number_of_half(in[j]), wanted = functions[i].reference(x);
        if (!is_right(out[j], wanted, functions[i].limit) && wrong++ < 3)
          ADD_FAILURE() << functions[i].name << "(" << x << ") = " << number_of_half(out[j])
                        << ", not " << wanted;
      }
      EXPECT_EQ(wrong, 0u) << functions[i].name;
    }
  }
}

// The vector functions give the same results, element by element.
TEST_F(HalfMaths, VectorsAreElements) {
  const char *functions[] = {"ceil", "fabs", "isnan_as", "sqrt", "sign", "exp2"};
  const std::vector<uint16_t> in = every_half();
  Memory from = buffer_of(in);
  for (const char *name : functions) {
    std::string call = std::string(name) == "isnan_as" ? "convert_half" : name;
    std::string source;
    for (const char *n : {"", "2", "3", "4", "8", "16"}) {
      const std::string width = *n ? n : "1";
      std::string value = std::string(name) == "isnan_as"
                              ? "convert_half" + std::string(n) + "(isnan(" + "x))"
                              : std::string(name) + "(x)";
      source += "kernel void k" + width + "(global const half *in, global half *out) {\n" +
                "size_t i = get_global_id(0); half" + n +
                " x = " + (*n ? "vload" + width + "(i, in)" : "in[i]") + ", y = " + value + ";\n" +
                (*n ? "vstore" + width + "(y, i, out)" : "out[i] = y") + "; }\n";
    }
    Program program = build((enable + source).c_str());
    auto scalars = run(program, "k1", {from}, in.size(), in.size());
    for (size_t n : {2, 3, 4, 8, 16}) {
      auto out = run(program, ("k" + std::to_string(n)).c_str(), {from}, in.size() / n, in.size());
      for (size_t i = 0; i != in.size() / n * n; ++i) {
        // A scalar comparison gives 1 for true, an element of a vector -1.
        uint16_t wanted = scalars[i];
        if (std::string(name) == "isnan_as" && wanted != 0)
          wanted |= half_sign;
        ASSERT_TRUE(out[i] == wanted || (is_nan_half(out[i]) && is_nan_half(wanted)))
            << name << " of " << n << ": " << number_of_half(in[i]) << ": "
            << number_of_half(out[i]) << ", not " << number_of_half(wanted);
      }
    }
  }
}

// Pairs: all pairs of special numbers, then random ones.
struct Triples {
  std::vector<uint16_t> x, y, z;
  std::vector<cl_int> n;
  Triples() {
    std::vector<uint16_t> special = {0,      1,      2,      0x3ff,  0x400,  0x401,  0x3800,
                                     0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4200, 0x4248, 0x63ff,
                                     0x6400, 0x6401, 0x7bff, 0x7c00, 0x7c01, 0x7e00};
    for (size_t i = 0, count = special.size(); i != count; ++i)
      special.push_back(special[i] | half_sign);
    std::mt19937 random(5);
    constexpr int ints[] = {0,   1,   -1, 2,   -2,   3,     -3,        5,        10,
                            -14, -24, 40, -60, 1000, -1001, INT32_MAX, INT32_MIN};
    auto add = [&](uint16_t a, uint16_t b) {
      x.push_back(a);
      y.push_back(b);
      z.push_back(uint16_t(x.size() % 2 ? special[random() % special.size()] : random()));
      n.push_back(x.size() % 3 ? ints[random() % std::size(ints)] : int(random() % 64) - 32);
    };
    for (uint16_t a : special)
      for (uint16_t b : special)
        add(a, b);
    while (x.size() != 1 << 16)
      add(uint16_t(random()), uint16_t(random()));
  }
};

bool is_signalling(uint16_t half) {
  return std::isnan(number_of_half(half)) && (half & 0x200) == 0;
}

TEST_F(HalfMaths, FunctionsOfTwo) {
  std::string source;
  for (size_t i = 0; i != std::size(binary); ++i)
    source += "kernel void k" + std::to_string(i) +
              "(global const half *xs, global const half *ys, global const int *ns, global half "
              "*out) { size_t i = get_global_id(0); half x = xs[i], y = ys[i]; int n = ns[i]; "
              "out[i] = " +
              binary[i].expression + "; }\n";
  const Triples in;
  Memory xs = buffer_of(in.x), ys = buffer_of(in.y), ns = buffer_of(in.n);
  Program program = build((enable + source).c_str());
  for (size_t i = 0; i != std::size(binary); ++i) {
    const std::string expression = binary[i].expression;
    auto out =
        run(program, ("k" + std::to_string(i)).c_str(), {xs, ys, ns}, in.x.size(), in.x.size());
    size_t wrong = 0;
    for (size_t j = 0; j != in.x.size(); ++j) {
      const double x = number_of_half(in.x[j]), y = number_of_half(in.y[j]);
      const int n = in.n[j];
      double wanted = expression == "ldexp(x, n)"   ? std::ldexp(x, std::clamp(n, -1000, 1000))
                      : expression == "pown(x, n)"  ? std::pow(x, n)
                      : expression == "rootn(x, n)" ? root(x, n)
                                                    : binary[i].reference(x, y);
      // The specification leaves open which of two zeros is the larger.
      if (x == 0 && y == 0 && expression.find('m') != expression.npos &&
          (out[j] & ~half_sign) == 0 && wanted == 0)
        continue;
      // They may treat a signalling NaN like a quiet one, or as minNum of IEEE 754 does (6.15.2).
      if ((expression == "fmin(x, y)" || expression == "fmax(x, y)") &&
          (is_signalling(in.x[j]) || is_signalling(in.y[j])) && std::isnan(number_of_half(out[j])))
        continue;
      if (!is_right(out[j], wanted, binary[i].limit) && wrong++ < 3)
        ADD_FAILURE() << expression << " of " << x << ", " << y << ", " << n << " is "
                      << number_of_half(out[j]) << ", not " << wanted;
    }
    EXPECT_EQ(wrong, 0u) << expression;
  }
}

// Relaxed math allows reciprocals. The test uses finite numbers with a finite quotient, because the
// specification guarantees nothing else in that mode.
TEST_F(HalfMaths, QuotientsWithRelaxedMaths) {
  const std::string source =
      "kernel void k(global const half *xs, global const half *ys, global half *out) "
      "{ size_t i = get_global_id(0); out[i] = xs[i] / ys[i]; }";
  const Triples in;
  Memory xs = buffer_of(in.x), ys = buffer_of(in.y);
  Program program = build((enable + source).c_str(), "-cl-fast-relaxed-math");
  auto out = run(program, "k", {xs, ys}, in.x.size(), in.x.size());
  size_t compared = 0;
  for (size_t i = 0; i != in.x.size(); ++i) {
    const double wanted = number_of_half(in.x[i]) / number_of_half(in.y[i]);
    if (!std::isfinite(wanted) || std::fabs(wanted) > 65504 ||
        !std::isfinite(number_of_half(in.y[i])))
      continue;
    ++compared;
    ASSERT_LE(error_in_ulps(out[i], wanted), 1)
        << number_of_half(in.x[i]) << " / " << number_of_half(in.y[i]) << " is "
        << number_of_half(out[i]);
  }
  EXPECT_GT(compared, in.x.size() / 2);
}

TEST_F(HalfMaths, FunctionsOfThree) {
  const std::string source = R"(
#define KERNEL(name, expression) \
kernel void name(global const half *xs, global const half *ys, global const half *zs, global half *out) { \
  size_t i = get_global_id(0); half x = xs[i], y = ys[i], z = zs[i]; out[i] = expression; }
KERNEL(fused, fma(x, y, z))
KERNEL(between, clamp(x, fmin(y, z), fmax(y, z)))
KERNEL(mixed, mix(x, y, z))
KERNEL(smooth, smoothstep(fmin(x, y), fmax(x, y), z))
KERNEL(next, nextafter(x, y))
KERNEL(larger, max(x, y) + 0 * z)
KERNEL(smaller, min(x, y) + 0 * z)
)";
  const Triples in;
  Memory xs = buffer_of(in.x), ys = buffer_of(in.y), zs = buffer_of(in.z);
  Program program = build((enable + source).c_str());
  auto check = [&](const char *name, double limit, auto reference) {
    auto out = run(program, name, {xs, ys, zs}, in.x.size(), in.x.size());
    size_t wrong = 0;
    for (size_t j = 0; j != in.x.size(); ++j) {
      const double x = number_of_half(in.x[j]), y = number_of_half(in.y[j]),
                   z = number_of_half(in.z[j]), wanted = reference(x, y, z);
      if (std::isnan(wanted) && limit != exact)
        continue; // undefined
      if (!is_right(out[j], wanted, limit) && wrong++ < 3)
        ADD_FAILURE() << name << " of " << x << ", " << y << ", " << z << " is "
                      << number_of_half(out[j]) << ", not " << wanted;
    }
    EXPECT_EQ(wrong, 0u) << name;
  };
  // The product and numbers near the midpoint between two halves are exact in a double.
  check("fused", exact, [](double x, double y, double z) { return std::fma(x, y, z); });
  check("between", 0.5000001, [](double x, double y, double z) {
    return std::isnan(x) || std::isnan(y) || std::isnan(z)
               ? NAN
               : std::clamp(x, std::min(y, z), std::max(y, z));
  });
  // x and y have the same sign. Near 0 the error of the larger one dominates.
  check("mixed", 1, [](double x, double y, double a) {
    const double size = std::max(std::fabs(x), std::fabs(y)), result = x + (y - x) * a;
    return a >= 0 && a <= 1 && size < 100 && x * y >= 0 && result * 4 > size ? result : NAN;
  });
  check("smooth", 2, [](double x, double y, double z) {
    const double low = std::fmin(x, y), high = std::fmax(x, y);
    if (!(low < high) || !std::isfinite(low) || !std::isfinite(high) || !std::isfinite(z))
      return double(NAN);
    const double t = std::clamp((z - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
  });
  check("larger", 0.5000001, [](double x, double y, double z) {
    return std::isnan(x) || std::isnan(y) || !std::isfinite(z) ? NAN : std::max(x, y);
  });
  check("smaller", 0.5000001, [](double x, double y, double z) {
    return std::isnan(x) || std::isnan(y) || !std::isfinite(z) ? NAN : std::min(x, y);
  });
  check("next", exact, [&](double x, double y, double) {
    if (std::isnan(x) || std::isnan(y))
      return double(NAN);
    if (x == y)
      return y;
    if (x == 0)
      return std::copysign(0x1p-24, y);
    const uint16_t bits = halves_.rounded(x, Rounding::nearest);
    return number_of_half(uint16_t((x < y) == (x > 0) ? bits + 1 : bits - 1));
  });
}

TEST_F(HalfMaths, FunctionsWithASecondResult) {
  const std::string source = R"(
#define KERNEL(name, T, space, place, call) \
kernel void name(global const half *xs, global const half *ys, global half *out, global half *others, global int *ints) { \
  local T in_local[1024]; private T in_private[1]; size_t i = get_global_id(0); half x = xs[i], y = ys[i]; \
  space T *other = place; out[i] = call; \
  if (sizeof(T) == sizeof(half)) others[i] = (half)*other; else ints[i] = (int)*other; }
KERNEL(fract_, half, private, in_private, fract(x, other))
KERNEL(modf_, half, local, in_local + get_local_id(0), modf(x, other))
KERNEL(sincos_, half, global, others + i, sincos(x, other))
KERNEL(frexp_, int, private, in_private, frexp(x, other))
KERNEL(lgamma_, int, local, in_local + get_local_id(0), lgamma_r(x, other))
KERNEL(remquo_, int, global, ints + i, remquo(x, y, other))
kernel void ilogb_(global const half *xs, global const half *ys, global half *out, global half *others, global int *ints) {
  size_t i = get_global_id(0); ints[i] = ilogb(xs[i]); out[i] = lgamma(xs[i]); others[i] = nan((ushort)i);
}
)";
  const Triples in;
  const size_t count = in.x.size();
  std::vector<uint16_t> every = every_half();
  for (const char *options : {"", "-cl-std=CL3.0"}) {
    Program program = build((enable + source).c_str(), options);
    Memory ys = buffer_of(in.y), every_x = buffer_of(every), some_x = buffer_of(in.x);
    struct Results {
      std::vector<uint16_t> first, second;
      std::vector<cl_int> number;
    };
    auto results_of = [&](const char *name) {
      Kernel kernel = make_kernel(program, name);
      Memory first = make_buffer(count * 2), second = make_buffer(count * 2),
             number = make_buffer(count * 4);
      cl_mem all[] = {std::string(name) == "remquo_" ? some_x : every_x, ys, first, second, number};
      for (cl_uint i = 0; i != 5; ++i)
        EXPECT_EQ(clSetKernelArg(kernel, i, sizeof all[i], &all[i]), CL_SUCCESS);
      const size_t local = 256;
      EXPECT_EQ(
          clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, &local, 0, nullptr, nullptr),
          CL_SUCCESS);
      return Results{read<uint16_t>(first, count), read<uint16_t>(second, count),
                     read<cl_int>(number, count)};
    };
    auto fraction = results_of("fract_"), parts = results_of("modf_"),
         sines = results_of("sincos_"), mantissa = results_of("frexp_"),
         gamma = results_of("lgamma_"), quotient = results_of("remquo_"),
         others = results_of("ilogb_");
    for (size_t i = 0; i != count; ++i) {
      const double x = number_of_half(every[i]);
      double whole;
      const double rest = std::modf(x, &whole);
      ASSERT_TRUE(is_right(parts.first[i], rest, exact) && is_right(parts.second[i], whole, exact))
          << x;
      const double below = std::isinf(x) ? 0.0 : std::fmin(x - std::floor(x), 0x1.ffcp-1);
      ASSERT_TRUE(error_in_ulps(fraction.first[i], std::isnan(x) ? NAN : below) <= exact)
          << x << ": " << number_of_half(fraction.first[i]);
      ASSERT_LT(fraction.first[i] & ~half_sign, is_nan_half(every[i]) ? 0x8000 : 0x3c00) << x;
      ASSERT_TRUE(is_right(fraction.second[i], std::floor(x), exact)) << x;
      ASSERT_TRUE(is_right(sines.first[i], std::sin(x), 2) &&
                  is_right(sines.second[i], std::cos(x), 2))
          << x;
      int exponent = 0;
      const double scaled = std::frexp(x, &exponent);
      ASSERT_TRUE(is_right(mantissa.first[i], scaled, exact)) << x;
      if (std::isfinite(x)) {
        ASSERT_EQ(mantissa.number[i], exponent) << x;
      }
      // Poles are infinite; large negative halves are integers.
      const double log_gamma = std::lgamma(x);
      for (uint16_t got : {gamma.first[i], others.first[i]})
        ASSERT_TRUE(error_in_ulps(got, log_gamma) <= 4 ||
                    std::fabs(number_of_half(got) - log_gamma) < 1e-4)
            << "lgamma(" << x << ") = " << number_of_half(got);
      if (std::isfinite(log_gamma) && x != 0) {
        ASSERT_EQ(gamma.number[i],
                  std::tgamma(x) < 0 || (x < 0 && std::fmod(std::floor(x), 2) != 0) ? -1 : 1)
            << x;
      }
      ASSERT_EQ(others.number[i], std::isnan(x)   ? CL_INT_MAX
                                  : x == 0        ? CL_INT_MIN
                                  : std::isinf(x) ? CL_INT_MAX
                                                  : std::ilogb(x))
          << x;
      ASSERT_TRUE(is_nan_half(others.second[i])) << i;

      const double a = number_of_half(in.x[i]), b = number_of_half(in.y[i]);
      ASSERT_TRUE(is_right(quotient.first[i], std::remainder(a, b), exact)) << a << ", " << b;
      if (std::isfinite(a) && std::isfinite(b) && b != 0) {
        const double integral = std::nearbyint(a / b); // exact: see the next line
        if (std::fma(-integral, b, a) == std::remainder(a, b)) {
          const auto low = int(std::fmod(std::fabs(integral), 128));
          const int got = quotient.number[i];
          ASSERT_EQ(std::abs(got) % 128, low) << a << ", " << b << ": " << got;
          if (low != 0) {
            ASSERT_EQ(got < 0, integral < 0) << a << ", " << b;
          }
        }
      }
    }
  }
}

} // namespace
} // namespace lockstep::test
