// Prints builtins, conversions and swizzles as OpenCL C, and the functions that guard their
// arguments.
#include "conversions.h"
#include "printer.h"

namespace lockstep::fuzz {

std::vector<uint8_t> half_lanes(Half half, uint8_t count) {
  std::vector<uint8_t> lanes;
  for (uint8_t i = 0; i < count; ++i)
    lanes.push_back(half == Half::lo     ? i
                    : half == Half::hi   ? uint8_t(i + count)
                    : half == Half::even ? uint8_t(2 * i)
                                         : uint8_t(2 * i + 1));
  return lanes;
}

std::string swizzle(const std::vector<uint8_t> &lanes, unsigned of, int style) {
  static const char *const halves[] = {".lo", ".hi", ".even", ".odd"};
  if (style < 2 && of != 3 && of == 2 * lanes.size())
    for (int half = 0; half < 4; ++half)
      if (lanes == half_lanes(Half(half), uint8_t(lanes.size())))
        return halves[half];
  if (style % 2 && of <= 4 && lanes.size() <= 4) {
    std::string text = ".";
    for (uint8_t lane : lanes)
      text += "xyzw"[lane];
    return text;
  }
  std::string text = style == 2 ? ".S" : ".s";
  for (uint8_t lane : lanes)
    text += style == 2 ? "0123456789ABCDEF"[lane] : "0123456789abcdef"[lane];
  return text;
}

namespace {

// The body of a guard: an expression of `x` and literals of the type.
std::string body_of(Guard guard, Type type) {
  auto is = [&](const char *number) {
    return "(" + name(type) + ")(" + number +
           (is_float(type.elem) && type.elem != Elem::f64 ? "f" : "") + ")";
  };
  auto between = [&](const char *low, const char *high) {
    return "x < " + is(low) + " ? " + is(low) + " : x > " + is(high) + " ? " + is(high) + " : x";
  };
  switch (guard) {
  case Guard::nonzero:
    return "x == " + is("0.0") + " ? " + is("1.0") + " : x";
  case Guard::tame:
    return between("-99.75", "99.75");
  case Guard::positive:
    return "fabs(" + between("-99.75", "99.75") + ")";
  case Guard::small:
    return "rint(" + (type.elem == Elem::f16 ? between("-8.0", "8.0") : between("-64.0", "64.0")) +
           ") + " + is("0.0");
  case Guard::divisor:
    return (is_signed(type.elem) ? "x == " + is("0") + " || x == " + is("-1") : "x == " + is("0")) +
           " ? " + is("3") + " : x";
  case Guard::narrow:
    return is_signed(type.elem) ? "((x & 0xffffff) ^ 0x800000) - 0x800000" : "x & 0xffffff";
  case Guard::exponent:
    return between("-200", "200");
  default:
    return "x";
  }
}

} // namespace

std::string Printer::guarded(Guard guard, Type type, const std::string &x) {
  static const char *const names[] = {"",      "",        "nonzero", "tame",     "positive",
                                      "small", "divisor", "narrow",  "exponent", "opaque"};
  if (guard == Guard::none || (guard == Guard::finite && !is_float(type.elem)))
    return x;
  const bool cleans = is_float(type.elem) && guard != Guard::opaque;
  const std::string clean = cleans ? cleaned(type, x) : x;
  if (guard == Guard::finite)
    return clean;
  const std::string function = std::string(names[int(guard)]) + "_" + name(type);
  helpers_[function] = name(type) + " " + function + "(" + name(type) + " x) { return " +
                       body_of(guard, type) + "; }\n";
  return function + "(" + clean + ")";
}

// Prepares a float for as_<type>; with fast math the sign of a zero is unknown.
std::string Printer::bits_of(Type type, const std::string &x) {
  if (!program_.fast)
    return cleaned(type, x);
  const std::string integer = name(Type{to_unsigned(type.elem), type.lanes}),
                    function = "bits_" + name(type);
  const std::string minus = type.elem == Elem::f32 ? "0x80000000u" : "0x8000000000000000ul";
  helpers_[function] = integer + " " + function + "(" + name(type) + " x) { " + integer +
                       " b = as_" + integer + "(x); return b == (" + integer + ")(" + minus +
                       ") ? (" + integer + ")(0) : b; }\n";
  return function + "(" + cleaned(type, x) + ")";
}

std::string Printer::builtin(const Expr &e) {
  const Builtin &row = builtins()[e.op];
  std::vector<std::string> a;
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Type type = e.args[i]->type;
    std::string text = expression(*e.args[i]);
    a.push_back(guarded(i < row.guards.size() ? row.guards[i] : Guard::none, type, text));
    // As the operand of a vector, a scalar must not be wider than an element.
    if (type.lanes == 1 && bits(type.elem) < 32)
      a.back() = "(" + name(type) + ")" + a.back();
  }
  std::string text;
  switch (row.form) {
  case Builtin::infix:
    text = "(" + a[0] + " " + row.name + " " + a[1] + ")";
    break;
  case Builtin::prefix:
    if (is_float(e.args[0]->type.elem) && e.type.lanes == 1 && said(a[0], 50))
      a[0] = "(bool)" + a[0];
    text = "(" + std::string(row.name) + a[0] + ")";
    break;
  case Builtin::ternary:
    text = "(" + a[0] + " ? " + a[1] + " : " + a[2] + ")";
    break;
  case Builtin::guard:
    return a[0];
  case Builtin::helper: // clamp, whose bounds must be in order
    text = "clamp(" + a[0] + ", min(" + a[1] + ", " + a[2] + "), max(" + a[1] + ", " + a[2] + "))";
    break;
  case Builtin::field: { // within the element
    const size_t offset = a.size() - 2;
    const std::string width = number(bits(e.args[0]->type.elem));
    a[offset] = "(" + a[offset] + ") % " + width + "u";
    a[offset + 1] = "(" + a[offset + 1] + ") % (" + width + "u + 1u - " + a[offset] + ")";
    [[fallthrough]];
  }
  case Builtin::call:
    text = std::string(row.name) + "(";
    for (size_t i = 0; i < a.size(); ++i)
      text += (i ? ", " : "") + a[i];
    text += ")";
    break;
  }
  if (row.plus_zero)
    text = "(" + text +
           (e.type.elem == Elem::f16   ? " + (half)0.0f)"
            : e.type.elem == Elem::f32 ? " + 0.0f)"
                                       : " + 0.0)");
  if (row.cleaned && is_float(e.type.elem))
    text = cleaned(e.type, text);
  const bool promoted = row.form == Builtin::infix && e.type.lanes == 1 && bits(e.type.elem) < 32;
  return promoted ? "((" + name(e.type) + ")" + text + ")" : text;
}

std::string Printer::rounded_conversion(const Expr &e) {
  const Type from = e.args[0]->type;
  return "convert_" + name(e.type) + (e.saturate ? "_sat" : "") + suffix(Rounding(e.op)) + "(" +
         guarded(conversion_guard(from.elem, e.type.elem, e.saturate), from,
                 expression(*e.args[0])) +
         ")";
}

} // namespace lockstep::fuzz
