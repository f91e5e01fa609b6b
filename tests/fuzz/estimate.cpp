#include "estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace lockstep::fuzz {

namespace {

using Real = long double;
constexpr Real pi = std::numbers::pi_v<Real>;

// A number, how far off the device's may be, and what it would be if all of its terms had one sign:
// regrouping changes it by a part of that.
struct Number {
  Real value = 0, error = 0, size = 0;
};

enum class Shape : uint8_t { sum, product, fused, other };

struct Function {
  const char *text; // $0, $1, $2: operands; T: the type
  uint8_t operands;
  Shape shape;
  Real ulps;
  Real (*value)(Real a, Real b, Real c);
  // The most by which the result changes if the operands change by their errors.
  Real (*change)(const Number &a, const Number &b, const Number &c);
};

Real limited(Real x, Real limit) {
  return std::clamp(x, -limit, limit);
}

Real above_one(Real x) {
  return std::fabs(x) + 1;
}

// Of functions that change at most `slope` times as much as each of their operands.
template <int percent> Real steady(const Number &a, const Number &b, const Number &c) {
  return (a.error + b.error + c.error) * percent / 100;
}

Real smooth(Real x) {
  return x * x * (3 - 2 * x);
}

Real power(Real a, Real b) {
  return std::pow(above_one(a), limited(b, 3));
}

// Monotone in each operand: the corners are the extremes.
Real change_of_power(const Number &a, const Number &b, const Number &) {
  const Real middle = power(a.value, b.value);
  Real most = 0;
  for (Real x : {std::max<Real>(0, std::fabs(a.value) - a.error), std::fabs(a.value) + a.error})
    for (Real y : {b.value - b.error, b.value + b.error})
      most = std::max(most, std::fabs(power(x, y) - middle));
  return most;
}

// e^x and the like: steepest at the upper end.
template <Real (*f)(Real), int limit, int slope_percent>
Real change_of_exponential(const Number &a, const Number &, const Number &) {
  return f(limited(a.value + a.error, limit)) * slope_percent / 100 * a.error;
}

Real e_to(Real x) {
  return std::exp(x);
}
Real two_to(Real x) {
  return std::exp2(x);
}
Real ten_to(Real x) {
  return std::pow(Real(10), x);
}

Real of_turn(Real x) { // between -1 and 1 half turns
  return std::remainder(x, Real(2));
}

#define V(body) [](Real a, Real b, Real c) -> Real { return void(a), void(b), void(c), Real(body); }
#define C(body)                                                                                    \
  [](const Number &a, const Number &b, const Number &c) -> Real {                                  \
    return void(a), void(b), void(c), Real(body);                                                  \
  }

constexpr Function functions[] = {
    // Arithmetic; the generator takes these most often.
    {"($0 + $1)", 2, Shape::sum, 0.5, V(a + b), steady<100>},
    {"($0 - $1)", 2, Shape::sum, 0.5, V(a - b), steady<100>},
    {"($0 * $1)", 2, Shape::product, 0.5, V(a * b),
     C(std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error)},
    {"($0 * $1 + $2)", 3, Shape::fused, 0.5, V(a * b + c),
     C(std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + c.error)},
    {"mad($0, $1, $2)", 3, Shape::fused, 0.5, V(a * b + c),
     C(std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + c.error)},
    {"fma($0, $1, $2)", 3, Shape::fused, 0.5, V(a * b + c),
     C(std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error + c.error)},
    {"($0 / (fabs($1) + (T)(1)))", 2, Shape::other, 2.5, V(a / above_one(b)),
     C((a.error + (std::fabs(a.value) + a.error) * b.error))},
    {"(-$0)", 1, Shape::other, 0, V(-a), steady<100>},
    {"fabs($0)", 1, Shape::other, 0, V(std::fabs(a)), steady<100>},
    {"fmin($0, $1)", 2, Shape::other, 0, V(std::min(a, b)), steady<100>},
    {"fmax($0, $1)", 2, Shape::other, 0, V(std::max(a, b)), steady<100>},
    {"fdim($0, $1)", 2, Shape::other, 1, V(std::fdim(a, b)), steady<100>},
    {"mix($0, $1, clamp($2, (T)(0), (T)(1)))", 3, Shape::other, 4,
     V(a + (b - a) * std::clamp(c, Real(0), Real(1))),
     C(a.error + b.error +
       (std::fabs(a.value) + std::fabs(b.value) + a.error + b.error) * c.error)},
    // Functions.
    {"smoothstep((T)(0), (T)(1), $0)", 1, Shape::other, 32,
     V(smooth(std::clamp(a, Real(0), Real(1)))), steady<150>},
    {"degrees($0)", 1, Shape::other, 2, V(a * 180 / pi), steady<5730>},
    {"radians($0)", 1, Shape::other, 2, V(a * pi / 180), steady<2>},
    {"sqrt(fabs($0) + (T)(1))", 1, Shape::other, 3, V(std::sqrt(above_one(a))), steady<50>},
    {"rsqrt(fabs($0) + (T)(1))", 1, Shape::other, 2, V(1 / std::sqrt(above_one(a))), steady<50>},
    {"((T)(1) / sqrt(fabs($0) + (T)(1)))", 1, Shape::other, 6, V(1 / std::sqrt(above_one(a))),
     steady<50>},
    {"cbrt(fabs($0) + (T)(1))", 1, Shape::other, 4, V(std::cbrt(above_one(a))), steady<34>},
    {"rootn(fabs($0) + (T)(1), 3)", 1, Shape::other, 16, V(std::cbrt(above_one(a))), steady<34>},
    {"sin(clamp($0, (T)(-99), (T)(99)))", 1, Shape::other, 4, V(std::sin(limited(a, 99))),
     steady<100>},
    {"cos(clamp($0, (T)(-99), (T)(99)))", 1, Shape::other, 4, V(std::cos(limited(a, 99))),
     steady<100>},
    {"tan(clamp($0, (T)(-1), (T)(1)))", 1, Shape::other, 5, V(std::tan(limited(a, 1))),
     steady<350>},
    {"sinpi(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 4,
     V(std::sin(pi * of_turn(limited(a, 9)))), steady<315>},
    {"cospi(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 4,
     V(std::cos(pi * of_turn(limited(a, 9)))), steady<315>},
    {"asinh($0)", 1, Shape::other, 4, V(std::asinh(a)), steady<100>},
    {"acosh(fabs($0) + (T)(2))", 1, Shape::other, 4, V(std::acosh(std::fabs(a) + 2)), steady<60>},
    {"atan($0)", 1, Shape::other, 5, V(std::atan(a)), steady<100>},
    {"atanpi($0)", 1, Shape::other, 5, V(std::atan(a) / pi), steady<32>},
    {"atan2($0, fabs($1) + (T)(1))", 2, Shape::other, 6, V(std::atan2(a, above_one(b))),
     steady<100>},
    {"tanh($0)", 1, Shape::other, 5, V(std::tanh(a)), steady<100>},
    {"sinh(clamp($0, (T)(-4), (T)(4)))", 1, Shape::other, 4, V(std::sinh(limited(a, 4))),
     steady<2750>},
    {"cosh(clamp($0, (T)(-4), (T)(4)))", 1, Shape::other, 4, V(std::cosh(limited(a, 4))),
     steady<2750>},
    {"asin(clamp($0, (T)(-1), (T)(1)) / (T)(2))", 1, Shape::other, 4,
     V(std::asin(limited(a, 1) / 2)), steady<60>},
    {"acos(clamp($0, (T)(-1), (T)(1)) / (T)(2))", 1, Shape::other, 4,
     V(std::acos(limited(a, 1) / 2)), steady<60>},
    {"atanh(clamp($0, (T)(-1), (T)(1)) / (T)(2))", 1, Shape::other, 5,
     V(std::atanh(limited(a, 1) / 2)), steady<70>},
    {"erf($0)", 1, Shape::other, 16, V(std::erf(a)), steady<115>},
    {"erfc($0)", 1, Shape::other, 16, V(std::erfc(a)), steady<115>},
    {"asinpi(clamp($0, (T)(-1), (T)(1)) / (T)(2))", 1, Shape::other, 5,
     V(std::asin(limited(a, 1) / 2) / pi), steady<20>},
    {"acospi(clamp($0, (T)(-1), (T)(1)) / (T)(2))", 1, Shape::other, 5,
     V(std::acos(limited(a, 1) / 2) / pi), steady<20>},
    {"atan2pi($0, fabs($1) + (T)(1))", 2, Shape::other, 6, V(std::atan2(a, above_one(b)) / pi),
     steady<32>},
    {"tgamma(clamp($0, (T)(1), (T)(4)))", 1, Shape::other, 16,
     V(std::tgamma(std::clamp(a, Real(1), Real(4)))), steady<760>},
    {"exp(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 3, V(std::exp(limited(a, 9))),
     change_of_exponential<e_to, 9, 100>},
    {"exp2(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 3, V(std::exp2(limited(a, 9))),
     change_of_exponential<two_to, 9, 70>},
    {"exp10(clamp($0, (T)(-4), (T)(4)))", 1, Shape::other, 3, V(ten_to(limited(a, 4))),
     change_of_exponential<ten_to, 4, 231>},
    {"expm1(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 3, V(std::expm1(limited(a, 9))),
     change_of_exponential<e_to, 9, 100>},
    {"log(fabs($0) + (T)(1))", 1, Shape::other, 3, V(std::log(above_one(a))), steady<100>},
    {"log2(fabs($0) + (T)(1))", 1, Shape::other, 3, V(std::log2(above_one(a))), steady<145>},
    {"log10(fabs($0) + (T)(1))", 1, Shape::other, 3, V(std::log10(above_one(a))), steady<44>},
    {"log1p(fabs($0))", 1, Shape::other, 2, V(std::log1p(std::fabs(a))), steady<100>},
    {"pow(fabs($0) + (T)(1), clamp($1, (T)(-3), (T)(3)))", 2, Shape::other, 16, V(power(a, b)),
     change_of_power},
    {"powr(fabs($0) + (T)(1), clamp($1, (T)(-3), (T)(3)))", 2, Shape::other, 16, V(power(a, b)),
     change_of_power},
    {"hypot($0, $1)", 2, Shape::other, 4, V(std::hypot(a, b)), steady<100>},
    {"lgamma(clamp($0, (T)(3), (T)(8)))", 1, Shape::other, 64,
     V(std::lgamma(std::clamp(a, Real(3), Real(8)))), steady<202>},
};

#undef V
#undef C

constexpr int arithmetic = 13; // that many come first

// Half the distance between 1 and the next number.
Real unit_of(Elem e) {
  return e == Elem::f16 ? 0x1p-11L : e == Elem::f32 ? 0x1p-24L : 0x1p-53L;
}
// What becomes zero, where the options or the specification permit that.
Real least_normal(Elem e) {
  return e == Elem::f16 ? 0x1p-24L : e == Elem::f32 ? 0x1p-126L : 0x1p-1022L;
}
Real too_large(Elem e) {
  return e == Elem::f16 ? 6e4L : e == Elem::f32 ? 1e30L : 1e150L;
}

Number apply(const Function &f, const Number &a, const Number &b, const Number &c, Elem elem,
             bool fast, int steps) {
  const Real unit = unit_of(elem);
  // Sums and quotients that the text makes of an operand are rounded.
  auto rounded = [&](Number n) {
    if (f.shape == Shape::other)
      n.error += 2 * unit * above_one(n.value);
    return n;
  };
  Number r;
  r.value = f.value(a.value, b.value, c.value);
  const Real change =
      f.change(rounded(a), f.operands > 1 ? rounded(b) : b, f.operands > 2 ? rounded(c) : c);
  const Real large = std::fabs(r.value) + change;
  r.size = f.shape == Shape::sum       ? a.size + b.size
           : f.shape == Shape::product ? a.size * b.size
           : f.shape == Shape::fused   ? a.size * b.size + c.size
                                       : large;
  // A product and a sum are rounded one by one.
  const Real ulps = f.shape == Shape::fused ? 2 * f.ulps : f.ulps;
  r.error = change + 2 * unit * ulps * std::max(large, f.shape == Shape::fused ? r.size : 0) +
            8 * least_normal(elem);
  if (fast)
    r.error += unit * (16 * large + 4 * steps * r.size);
  if (!(r.error < too_large(elem)) || large > too_large(elem))
    r.error = std::numeric_limits<Real>::infinity();
  return r;
}

} // namespace

int estimate_function_count() {
  return int(std::size(functions));
}

int operands_of(int function) {
  return functions[function].operands;
}

bool is_arithmetic(int function) {
  return function < arithmetic;
}

std::string print(const Estimate &estimate, Type type, const std::vector<std::string> &leaves) {
  const std::string in_brackets = "(" + name(type) + ")";
  std::vector<std::string> stack;
  for (const EstimateStep &step : estimate) {
    if (step.leaf >= 0) {
      stack.push_back("clamp(" + leaves[size_t(step.leaf)] + ", " + in_brackets + "(-8), " +
                      in_brackets + "(8))");
      continue;
    }
    const Function &f = functions[step.function];
    const size_t first = stack.size() - f.operands;
    std::string text;
    for (const char *c = f.text; *c; ++c) {
      if (*c == '$')
        text += stack[first + size_t(*++c - '0')];
      else if (*c == 'T' && c[-1] == '(')
        text += name(type);
      else
        text += *c;
    }
    stack.resize(first);
    stack.push_back(std::move(text));
  }
  return stack.back();
}

Bounded evaluate(const Estimate &estimate, Type type, bool fast, std::span<const Value> leaves) {
  Bounded result{Value(type), {}};
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    std::vector<Number> stack;
    for (const EstimateStep &step : estimate) {
      if (step.leaf >= 0) {
        const Real x = limited(floating(type.elem, leaves[size_t(step.leaf)].lane[lane]), 8);
        stack.push_back({x, least_normal(type.elem), std::fabs(x)});
        continue;
      }
      const Function &f = functions[step.function];
      const size_t first = stack.size() - f.operands;
      auto operand = [&](unsigned i) { return i < f.operands ? stack[first + i] : Number{}; };
      const Number r =
          apply(f, operand(0), operand(1), operand(2), type.elem, fast, int(estimate.size()));
      stack.resize(first);
      stack.push_back(r);
    }
    const Number &last = stack.back();
    result.value.lane[lane] = from_floating(type.elem, double(last.value));
    result.errors.push_back(double(last.error + 2 * unit_of(type.elem) * std::fabs(last.value)));
  }
  return result;
}

} // namespace lockstep::fuzz
