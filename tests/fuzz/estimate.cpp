#include "estimate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

namespace lockstep::fuzz {

namespace {

using Real = long double;
constexpr Real pi = std::numbers::pi_v<Real>;

// A value, the bound of the device's error, and the value if all terms had the same sign.
// Regrouping changes the value by a fraction of the last one.
struct Number {
  Real value = 0, error = 0, size = 0;
};

enum class Shape : uint8_t { sum, product, fused, other };

// The types for which a function exists.
enum class Kinds : uint8_t { all, floats, short_vectors, short_float_vectors };

struct Function {
  // $0, $1, $2: operands; T: the type; $r: a variable of that type for a second result; $i: of
  // int, with as many lanes.
  const char *text;
  uint8_t operands;
  Shape shape;
  Real ulps;
  Real (*value)(Real a, Real b, Real c);
  // Upper bound of the result's change when the operands change by their errors.
  Real (*change)(const Number &a, const Number &b, const Number &c);
  Kinds kinds = Kinds::all;
  // Replaces `value` and `change` if a lane of the result depends on all lanes of the operands. It
  // also covers what the text does to the operands.
  Number (*whole)(std::span<const Number> a, std::span<const Number> b, size_t lane) = nullptr;
};

Real limited(Real x, Real limit) {
  return std::clamp(x, -limit, limit);
}

Real above_one(Real x) {
  return std::fabs(x) + 1;
}

// For functions that change at most `slope` times as much as each of their operands.
template <int percent> Real steady(const Number &a, const Number &b, const Number &c) {
  return (a.error + b.error + c.error) * percent / 100;
}

Real smooth(Real x) {
  return x * x * (3 - 2 * x);
}

Real power(Real a, Real b) {
  return std::pow(above_one(a), limited(b, 3));
}

// The function is monotone in each operand, so its extremes are at the corners.
Real change_of_power(const Number &a, const Number &b, const Number &) {
  const Real middle = power(a.value, b.value);
  Real most = 0;
  for (Real x : {std::max<Real>(0, std::fabs(a.value) - a.error), std::fabs(a.value) + a.error})
    for (Real y : {b.value - b.error, b.value + b.error})
      most = std::max(most, std::fabs(power(x, y) - middle));
  return most;
}

// For e^x and similar functions, which are steepest at the upper end.
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

Real of_turn(Real x) { // an angle in half turns, reduced to -1..1
  return std::remainder(x, Real(2));
}

// For results known less well than a relative error says. Native functions define their own
// accuracy, and near a root they cannot be more accurate.
template <int percent> Real loose(const Number &a, const Number &b, const Number &c) {
  return steady<percent>(a, b, c) + 0x1p-10L;
}
template <int limit, int slope_percent, Real (*f)(Real)>
Real loose_exponential(const Number &a, const Number &b, const Number &c) {
  return change_of_exponential<f, limit, slope_percent>(a, b, c) + 0x1p-10L;
}
Real loose_power(const Number &a, const Number &b, const Number &c) {
  return change_of_power(a, b, c) + 0x1p-10L;
}

Real change_of_cube(const Number &a, const Number &, const Number &) {
  const Real most = above_one(a.value) + a.error;
  return 3 * most * most * a.error;
}

// ---- functions of whole vectors

Number magnitude(std::span<const Number> a) {
  Number r;
  for (const Number &x : a) {
    r.value += x.value * x.value;
    r.error += x.error;
  }
  r.value = std::sqrt(r.value);
  return r;
}

Number length_of(std::span<const Number> a, std::span<const Number>, size_t) {
  return magnitude(a);
}

std::vector<Number> differences(std::span<const Number> a, std::span<const Number> b) {
  std::vector<Number> list;
  for (size_t i = 0; i < a.size(); ++i)
    list.push_back({a[i].value - b[i].value, a[i].error + b[i].error});
  return list;
}

Number distance_of(std::span<const Number> a, std::span<const Number> b, size_t) {
  return magnitude(differences(a, b));
}

template <Real (*f)(Real)> std::vector<Number> each(std::span<const Number> a) {
  std::vector<Number> list;
  for (const Number &x : a)
    list.push_back({f(x.value), x.error});
  return list;
}

// Maps to 1..99, so that no square underflows or overflows.
Real near(Real x) {
  return std::clamp(x, Real(1), Real(99));
}

// No component is below 1, so the direction changes by at most twice the change of the vector.
Number direction(std::span<const Number> a, size_t lane) {
  const Number whole = magnitude(a);
  return {a[lane].value / whole.value, 2 * whole.error};
}

template <Real (*f)(Real)>
Number direction_of(std::span<const Number> a, std::span<const Number>, size_t lane) {
  return direction(each<f>(a), lane);
}

Number near_length(std::span<const Number> a, std::span<const Number>, size_t) {
  return magnitude(each<near>(a));
}

// The first operand is at most -1 in all lanes, the second at least 1.
Number near_distance(std::span<const Number> a, std::span<const Number> b, size_t) {
  std::vector<Number> minus = each<near>(a);
  for (Number &x : minus)
    x.value = -x.value;
  return magnitude(differences(minus, each<near>(b)));
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
    // Later additions; generate_estimate.cpp substitutes these for other functions.
    {"tanpi(clamp($0, (T)(-1), (T)(1)) / (T)(5))", 1, Shape::other, 6,
     V(std::tan(pi * limited(a, 1) / 5)), steady<100>},
    {"pown(fabs($0) + (T)(1), (I)(3))", 1, Shape::other, 16,
     V(above_one(a) * above_one(a) * above_one(a)), change_of_cube},
    {"sincos(clamp($0, (T)(-99), (T)(99)), &$r)", 1, Shape::other, 4, V(std::sin(limited(a, 99))),
     steady<100>},
    {"(sincos(clamp($0, (T)(-99), (T)(99)), &$r), $r)", 1, Shape::other, 4,
     V(std::cos(limited(a, 99))), steady<100>},
    {"lgamma_r(clamp($0, (T)(3), (T)(8)), &$i)", 1, Shape::other, 64,
     V(std::lgamma(std::clamp(a, Real(3), Real(8)))), steady<202>},
    // Functions of short vectors, with the errors of the widest vectors and of double.
    {"(T)(length($0))", 1, Shape::other, 9.5, nullptr, nullptr, Kinds::short_vectors, length_of},
    {"(T)(distance($0, $1))", 2, Shape::other, 13.5, nullptr, nullptr, Kinds::short_vectors,
     distance_of},
    {"normalize(fabs($0) + (T)(1))", 1, Shape::other, 8.5, nullptr, nullptr, Kinds::short_vectors,
     direction_of<above_one>},
    {"(T)(fast_length(clamp($0, (T)(1), (T)(99))))", 1, Shape::other, 8192, nullptr, nullptr,
     Kinds::short_float_vectors, near_length},
    {"(T)(fast_distance(-clamp($0, (T)(1), (T)(99)), clamp($1, (T)(1), (T)(99))))", 2, Shape::other,
     8192, nullptr, nullptr, Kinds::short_float_vectors, near_distance},
    {"fast_normalize(clamp($0, (T)(1), (T)(99)))", 1, Shape::other, 8198, nullptr, nullptr,
     Kinds::short_float_vectors, direction_of<near>},
    // At least 11 bits are right.
    {"half_cos(clamp($0, (T)(-99), (T)(99)))", 1, Shape::other, 8192, V(std::cos(limited(a, 99))),
     steady<100>, Kinds::floats},
    {"half_sin(clamp($0, (T)(-99), (T)(99)))", 1, Shape::other, 8192, V(std::sin(limited(a, 99))),
     steady<100>, Kinds::floats},
    {"half_tan(clamp($0, (T)(-1), (T)(1)))", 1, Shape::other, 8192, V(std::tan(limited(a, 1))),
     steady<350>, Kinds::floats},
    {"half_divide($0, fabs($1) + (T)(1))", 2, Shape::other, 8192, V(a / above_one(b)),
     C((a.error + (std::fabs(a.value) + a.error) * b.error)), Kinds::floats},
    {"half_recip(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(1 / above_one(a)), steady<100>,
     Kinds::floats},
    {"half_exp(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::exp(limited(a, 9))),
     change_of_exponential<e_to, 9, 100>, Kinds::floats},
    {"half_exp2(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::exp2(limited(a, 9))),
     change_of_exponential<two_to, 9, 70>, Kinds::floats},
    {"half_exp10(clamp($0, (T)(-4), (T)(4)))", 1, Shape::other, 8192, V(ten_to(limited(a, 4))),
     change_of_exponential<ten_to, 4, 231>, Kinds::floats},
    {"half_log(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log(above_one(a))), steady<100>,
     Kinds::floats},
    {"half_log2(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log2(above_one(a))), steady<145>,
     Kinds::floats},
    {"half_log10(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log10(above_one(a))),
     steady<44>, Kinds::floats},
    {"half_powr(fabs($0) + (T)(1), clamp($1, (T)(-3), (T)(3)))", 2, Shape::other, 8192,
     V(power(a, b)), change_of_power, Kinds::floats},
    {"half_sqrt(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::sqrt(above_one(a))), steady<50>,
     Kinds::floats},
    {"half_rsqrt(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(1 / std::sqrt(above_one(a))),
     steady<50>, Kinds::floats},
    // No specification gives the accuracy of these. A device meant for computing is expected to be
    // as accurate as for the functions above.
    {"native_cos(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::cos(limited(a, 9))),
     loose<100>, Kinds::floats},
    {"native_sin(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::sin(limited(a, 9))),
     loose<100>, Kinds::floats},
    {"native_tan(clamp($0, (T)(-1), (T)(1)))", 1, Shape::other, 8192, V(std::tan(limited(a, 1))),
     loose<350>, Kinds::floats},
    {"native_divide($0, fabs($1) + (T)(1))", 2, Shape::other, 8192, V(a / above_one(b)),
     C((a.error + (std::fabs(a.value) + a.error) * b.error)), Kinds::floats},
    {"native_recip(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(1 / above_one(a)), loose<100>,
     Kinds::floats},
    {"native_exp(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::exp(limited(a, 9))),
     loose_exponential<9, 100, e_to>, Kinds::floats},
    {"native_exp2(clamp($0, (T)(-9), (T)(9)))", 1, Shape::other, 8192, V(std::exp2(limited(a, 9))),
     loose_exponential<9, 70, two_to>, Kinds::floats},
    {"native_exp10(clamp($0, (T)(-4), (T)(4)))", 1, Shape::other, 8192, V(ten_to(limited(a, 4))),
     loose_exponential<4, 231, ten_to>, Kinds::floats},
    {"native_log(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log(above_one(a))), loose<100>,
     Kinds::floats},
    {"native_log2(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log2(above_one(a))),
     loose<145>, Kinds::floats},
    {"native_log10(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::log10(above_one(a))),
     loose<44>, Kinds::floats},
    {"native_powr(fabs($0) + (T)(1), clamp($1, (T)(-3), (T)(3)))", 2, Shape::other, 8192,
     V(power(a, b)), loose_power, Kinds::floats},
    {"native_sqrt(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(std::sqrt(above_one(a))), loose<50>,
     Kinds::floats},
    {"native_rsqrt(fabs($0) + (T)(1))", 1, Shape::other, 8192, V(1 / std::sqrt(above_one(a))),
     loose<50>, Kinds::floats},
};

#undef V
#undef C

constexpr int arithmetic = 13; // the number of arithmetic rows, which come first
constexpr int first_later = 55;
static_assert(std::string_view(functions[first_later].text).starts_with("tanpi"));

// Half the distance between 1 and the next number.
Real unit_of(Elem e) {
  return e == Elem::f16 ? 0x1p-11L : e == Elem::f32 ? 0x1p-24L : 0x1p-53L;
}
// Numbers below this become zero where the options or the specification permit it.
Real least_normal(Elem e) {
  return e == Elem::f16 ? 0x1p-24L : e == Elem::f32 ? 0x1p-126L : 0x1p-1022L;
}
Real too_large(Elem e) {
  return e == Elem::f16 ? 6e4L : e == Elem::f32 ? 1e30L : 1e150L;
}

// All lanes of one operand.
using Lanes = std::vector<Number>;

// The exact value of a lane of the result, without the function's own error.
Number exact(const Function &f, const std::array<Lanes, 3> &operands, size_t lane) {
  if (f.whole)
    return f.whole(operands[0], operands[1], lane);
  std::array<Number, 3> of_lane;
  for (size_t i = 0; i < f.operands; ++i)
    of_lane[i] = operands[i][lane];
  const auto &[a, b, c] = of_lane;
  return {f.value(a.value, b.value, c.value), f.change(a, b, c), 0};
}

Number apply(const Function &f, const std::array<Lanes, 3> &operands, size_t lane, Elem elem,
             bool fast, int steps) {
  const Real unit = unit_of(elem);
  Number r = exact(f, operands, lane);
  const Real change = r.error, large = std::fabs(r.value) + change;
  auto size = [&](size_t operand) { return operands[operand][lane].size; };
  r.size = f.shape == Shape::sum       ? size(0) + size(1)
           : f.shape == Shape::product ? size(0) * size(1)
           : f.shape == Shape::fused   ? size(0) * size(1) + size(2)
                                       : large;
  // A product and its sum are rounded separately.
  const Real ulps = f.shape == Shape::fused ? 2 * f.ulps : f.ulps;
  r.error = change + 2 * unit * ulps * std::max(large, f.shape == Shape::fused ? r.size : 0) +
            8 * least_normal(elem);
  if (fast)
    r.error += unit * (16 * large + 4 * steps * r.size);
  if (!(r.error < too_large(elem)) || large > too_large(elem))
    r.error = std::numeric_limits<Real>::infinity();
  return r;
}

// Accounts for the rounding of sums and quotients in the text of the operands.
void round_operands(const Function &f, Elem elem, std::array<Lanes, 3> &operands) {
  if (f.shape != Shape::other)
    return;
  for (Lanes &operand : operands)
    for (Number &n : operand)
      n.error += 2 * unit_of(elem) * above_one(n.value);
}

} // namespace

int estimate_function_count() {
  return first_later;
}

std::vector<int> later_functions(int operands, Type type) {
  std::vector<int> list;
  for (int i = first_later; i < int(std::size(functions)); ++i) {
    const Kinds kinds = functions[i].kinds;
    const bool only_floats = kinds == Kinds::floats || kinds == Kinds::short_float_vectors;
    const bool only_short = kinds == Kinds::short_vectors || kinds == Kinds::short_float_vectors;
    if (functions[i].operands == operands && (type.elem == Elem::f32 || !only_floats) &&
        (type.lanes <= 4 || !only_short))
      list.push_back(i);
  }
  return list;
}

int operands_of(int function) {
  return functions[function].operands;
}

bool is_arithmetic(int function) {
  return function < arithmetic;
}

PrintedEstimate print(const Estimate &estimate, Type type, const std::vector<std::string> &leaves) {
  const std::string in_brackets = "(" + name(type) + ")",
                    integer = name(Type{Elem::i32, type.lanes});
  std::vector<std::string> stack;
  std::string variables; // for second results, one for each call
  int count = 0;
  auto variable = [&](char kind, bool again) {
    const std::string called = "rest" + std::to_string(again ? count - 1 : count);
    if (!again) {
      variables += (kind == 'r' ? name(type) : integer) + " " + called + "; ";
      ++count;
    }
    return called;
  };
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
      if (*c == '$' && std::isalpha(c[1])) {
        text += variable(c[1], c == f.text || c[-1] != '&');
        ++c;
      } else if (*c == '$')
        text += stack[first + size_t(*++c - '0')];
      else if (*c == 'T' && c[-1] == '(')
        text += name(type);
      else if (*c == 'I' && c[-1] == '(')
        text += integer;
      else
        text += *c;
    }
    stack.resize(first);
    stack.push_back(std::move(text));
  }
  return {variables, stack.back()};
}

Bounded evaluate(const Estimate &estimate, Type type, bool fast, std::span<const Value> leaves) {
  std::vector<Lanes> stack;
  for (const EstimateStep &step : estimate) {
    Lanes result;
    if (step.leaf >= 0) {
      for (unsigned lane = 0; lane < type.lanes; ++lane) {
        const Real x = limited(floating(type.elem, leaves[size_t(step.leaf)].lane[lane]), 8);
        result.push_back({x, least_normal(type.elem), std::fabs(x)});
      }
      stack.push_back(std::move(result));
      continue;
    }
    const Function &f = functions[step.function];
    const size_t first = stack.size() - f.operands;
    std::array<Lanes, 3> operands;
    for (size_t i = 0; i < f.operands; ++i)
      operands[i] = std::move(stack[first + i]);
    round_operands(f, type.elem, operands);
    for (unsigned lane = 0; lane < type.lanes; ++lane)
      result.push_back(apply(f, operands, lane, type.elem, fast, int(estimate.size())));
    stack.resize(first);
    stack.push_back(std::move(result));
  }
  Bounded result{Value(type), {}};
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    const Number &last = stack.back()[lane];
    result.value.lane[lane] = from_floating(type.elem, double(last.value));
    result.errors.push_back(double(last.error + 2 * unit_of(type.elem) * std::fabs(last.value)));
  }
  return result;
}

} // namespace lockstep::fuzz
