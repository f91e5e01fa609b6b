#include "builtins.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace lockstep::fuzz {

namespace {

using enum Guard;
using Wide = __int128;
using Arguments = std::span<const Value>;
constexpr uint16_t integers = narrow_integers | int_32 | long_64;
constexpr uint16_t wide_floats = float_32 | float_64, floats = wide_floats | float_16,
                   any = integers | floats;

Wide number(Elem e, uint64_t v) {
  return is_signed(e) ? Wide(signed_value(e, v)) : Wide(v);
}

Wide saturated(Elem e, Wide v) {
  const Wide top = (Wide(1) << (bits(e) - is_signed(e))) - 1;
  return std::clamp(v, is_signed(e) ? -top - 1 : Wide(0), top);
}

// Computes a * b + c with saturation. No type has the 129 bits of the exact result.
Wide product_saturated(Elem e, Wide a, Wide b, Wide c) {
  const bool too_large = bits(e) == 64 && !is_signed(e) && a >> 32 && b > (Wide(1) << 65) / a;
  return saturated(e, too_large ? Wide(1) << 64 : a * b + c);
}

bool top_bit(Elem e, uint64_t v) {
  return v >> (bits(e) - 1) & 1;
}

// ---- one lane

template <auto f> uint64_t on_floats(const Lane &l) {
  if (l.elem == Elem::f16)
    return from_floating(
        l.elem, f(half_value(uint16_t(l.a)), half_value(uint16_t(l.b)), half_value(uint16_t(l.c))));
  if (l.elem == Elem::f32)
    return from_float(f(to_float(l.a), to_float(l.b), to_float(l.c)));
  return from_double(f(to_double(l.a), to_double(l.b), to_double(l.c)));
}

template <auto f> uint64_t predicate(const Lane &l) {
  if (l.elem == Elem::f32)
    return f(to_float(l.a), to_float(l.b));
  return f(floating(l.elem, l.a), floating(l.elem, l.b));
}

// Applies `f` to mathematical integers; the caller wraps the result.
template <auto f> uint64_t on_integers(const Lane &l) {
  return uint64_t(f(l.elem, number(l.elem, l.a), number(l.elem, l.b), number(l.elem, l.c)));
}

uint64_t choose(const Lane &l) {
  return (l.scalar ? l.c != 0 : top_bit(l.elem, l.c)) ? l.b : l.a;
}
uint64_t choose_by_sign(const Lane &l) { // c ? a : b
  return (l.scalar ? l.a != 0 : top_bit(l.elem, l.a)) ? l.b : l.c;
}

uint64_t scaled(const Lane &l) { // ldexp: rounded once
  const int by = int(int32_t(l.b));
  return l.elem == Elem::f32 ? from_float(float(std::ldexp(double(to_float(l.a)), by)))
                             : from_floating(l.elem, std::ldexp(floating(l.elem, l.a), by));
}

uint64_t exponent_of(const Lane &l) {
  return uint64_t(int64_t(std::ilogb(floating(l.elem, l.a))));
}

uint64_t joined(const Lane &l) { // upsample
  return l.a << (bits(l.elem) / 2) | l.b;
}

uint64_t truth(const Lane &l) {
  return is_float(l.elem) ? floating(l.elem, l.a) != 0 : l.a != 0;
}
Lane with(const Lane &l, uint64_t v) {
  return {l.elem, l.scalar, v, 0, 0};
}

// ---- whole values

Value shuffled(Type result, Arguments v) { // sources, then the mask
  const unsigned lanes = v[0].type.lanes, sources = unsigned(v.size()) - 1;
  Value out(result);
  for (unsigned i = 0; i < result.lanes; ++i) {
    const unsigned at = unsigned(v.back().lane[i]) & (lanes * sources - 1);
    out.lane[i] = v[at / lanes].lane[at % lanes];
  }
  return out;
}

Value dot_product(Type result, Arguments v) { // small integers: exact in any order
  double sum = 0;
  for (unsigned i = 0; i < v[0].type.lanes; ++i)
    sum += floating(result.elem, v[0].lane[i]) * floating(result.elem, v[1].lane[i]);
  return {result, from_floating(result.elem, sum)};
}

Value cross_product(Type result, Arguments v) {
  auto at = [&](int which, int lane) { return floating(result.elem, v[which].lane[lane % 3]); };
  Value out(result);
  for (int i = 0; i < 3; ++i)
    out.lane[i] =
        from_floating(result.elem, at(0, i + 1) * at(1, i + 2) - at(0, i + 2) * at(1, i + 1) + 0.0);
  if (result.lanes == 4)
    out.lane[3] = 0;
  return out;
}

Value some(Type result, Arguments v) {
  bool found = false;
  for (unsigned i = 0; i < v[0].type.lanes; ++i)
    found |= top_bit(v[0].type.elem, v[0].lane[i]);
  return {result, found};
}

Value every(Type result, Arguments v) {
  bool found = true;
  for (unsigned i = 0; i < v[0].type.lanes; ++i)
    found &= top_bit(v[0].type.elem, v[0].lane[i]);
  return {result, found};
}

// First bit and number of bits of a bit-field operation, both limited to the element.
std::pair<unsigned, unsigned> field_of(Elem e, const Value &offset, const Value &count) {
  const unsigned first = unsigned(offset.lane[0]) % bits(e);
  return {first, unsigned(count.lane[0]) % (bits(e) - first + 1)};
}

uint64_t ones(unsigned count) {
  return count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

Value inserted(Type result, Arguments v) {
  const auto [first, count] = field_of(result.elem, v[2], v[3]);
  const uint64_t mask = count ? ones(count) << first : 0;
  Value out(result);
  for (unsigned i = 0; i < result.lanes; ++i)
    out.lane[i] = (v[0].lane[i] & ~mask) | ((v[1].lane[i] << first) & mask);
  return out;
}

Value extracted(Type result, Arguments v) {
  const auto [first, count] = field_of(result.elem, v[1], v[2]);
  Value out(result);
  for (unsigned i = 0; i < result.lanes; ++i) {
    const uint64_t field = v[0].lane[i] >> first & ones(count);
    const bool negative = is_signed(result.elem) && count && field >> (count - 1) & 1;
    out.lane[i] = wrap(result.elem, negative ? field | ~ones(count) : field);
  }
  return out;
}

Value reversed(Type result, Arguments v) {
  Value out(result);
  for (unsigned i = 0; i < result.lanes; ++i)
    for (unsigned bit = 0; bit < bits(result.elem); ++bit)
      out.lane[i] |= (v[0].lane[i] >> bit & 1) << (bits(result.elem) - 1 - bit);
  return out;
}

// Dot product of four bytes with four bytes; the forms with an accumulator add it with saturation.
Value dot_of_bytes(Type result, Arguments v) {
  Wide sum = v.size() > 2 ? number(result.elem, v[2].lane[0]) : 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += number(v[0].type.elem, v[0].lane[i]) * number(v[1].type.elem, v[1].lane[i]);
  return {result, wrap(result.elem, uint64_t(saturated(result.elem, sum)))};
}

template <bool first_signed, bool second_signed> Value packed_dot(Type result, Arguments v) {
  auto bytes = [](bool with_sign, uint64_t word) {
    Value four(Type{with_sign ? Elem::i8 : Elem::u8, 4});
    for (unsigned i = 0; i < 4; ++i)
      four.lane[i] = word >> (8 * i) & 255;
    return four;
  };
  std::vector<Value> all = {bytes(first_signed, v[0].lane[0]), bytes(second_signed, v[1].lane[0])};
  all.insert(all.end(), v.begin() + 2, v.end());
  return dot_of_bytes(result, all);
}

// ---- the table

#define F(body) on_floats<[](auto a, auto b, auto c) { return void(b), void(c), (body); }>
#define P(body) predicate<[](auto a, auto b) { return void(b), bool(body); }>
#define N(body)                                                                                    \
  on_integers<[](Elem e, Wide a, Wide b, Wide c) { return void(e), void(b), void(c), Wide(body); }>

constexpr auto call = Builtin::call, infix = Builtin::infix;
constexpr bool clean = true, plus = true, fast = true;
constexpr auto anywhere = Builtin::nothing, cl3 = Builtin::opencl_3;

std::vector<Builtin> integer_builtins() {
  return {
      {"mad_sat", "T(TTT)", {}, integers, call, N(product_saturated(e, a, b, c))},
      {"mad_hi",
       "T(TTT)",
       {},
       integers,
       call,
       N((is_signed(e) ? (a * b) >> bits(e)
                       : Wide((unsigned __int128)(a) * (unsigned __int128)(b) >> bits(e))) +
         c)},
      {"ctz",
       "T(T)",
       {},
       integers,
       call,
       N(std::min(unsigned(std::countr_zero(uint64_t(a))), bits(e))),
       false,
       false,
       fast,
       cl3},
      {"upsample", "T(Hh)", {}, uint8_t(integers), call, joined},
      {"mul24", "T(TT)", {narrow, narrow}, int_32, call, N(a * b)},
      {"mad24", "T(TTT)", {narrow, narrow, none}, int_32, call, N(a * b + c)},
      {"min", "T(TS)", {}, integers | vector_types, call, N(std::min(a, b))},
      {"max", "T(TS)", {}, integers | vector_types, call, N(std::max(a, b))},
      {"abs", "U(T)", {}, integers | unsigned_types, call, N(a)},
      {"/", "T(TT)", {none, divisor}, integers, infix, N(a / b)},
      {"%", "T(TT)", {none, divisor}, integers, infix, N(a % b)},
      {"/", "T(TS)", {none, divisor}, integers | vector_types, infix, N(a / b)},
      {"%", "T(TS)", {none, divisor}, integers | vector_types, infix, N(a % b)},
      {"+", "T(TS)", {}, integers | vector_types | unsigned_types, infix, N(a + b)},
      {"*",
       "T(ST)",
       {},
       integers | vector_types | unsigned_types,
       infix,
       [](const Lane &l) { return l.a * l.b; }},
      {"&", "T(TS)", {}, integers | vector_types, infix, N(a & b)},
      {"^", "T(ST)", {}, integers | vector_types, infix, N(a ^ b)},
      {"<<",
       "T(TS)",
       {},
       integers | vector_types | unsigned_types,
       infix,
       [](const Lane &l) { return l.a << (l.b & (bits(l.elem) - 1)); }},
      {">>", "T(TS)", {}, integers | vector_types, infix, N(a >> (b & (bits(e) - 1)))},
      {"<", "L(TS)", {}, integers | vector_types, infix, N(a < b)},
      {"&&", "L(TT)", {opaque}, integers | vector_types, infix, N(a != 0 && b != 0)},
      {"||", "L(TT)", {opaque}, integers | vector_types, infix, N(a != 0 || b != 0)},
      {"!", "L(T)", {}, integers | vector_types, Builtin::prefix, N(a == 0)},
      {"any",
       "B(T)",
       {},
       integers | signed_types,
       call,
       nullptr,
       false,
       false,
       fast,
       anywhere,
       some},
      {"all",
       "B(T)",
       {},
       integers | signed_types,
       call,
       nullptr,
       false,
       false,
       fast,
       anywhere,
       every},
  };
}

// Builtins that OpenCL extensions add.
std::vector<Builtin> extended_builtins() {
  constexpr auto field = Builtin::field;
  constexpr auto bit = Builtin::bit_operations, dots = Builtin::dot_products;
  auto whole = [](const char *name, const char *types, uint16_t domain, Builtin::Form form,
                  Builtin::Needs needs, Value (*function)(Type, Arguments)) {
    return Builtin{name, types, {}, domain, form, nullptr, false, false, true, needs, function};
  };
  std::vector<Builtin> rows = {
      whole("bitfield_insert", "T(TTuu)", integers, field, bit, inserted),
      whole("bitfield_extract_signed", "I(Tuu)", integers, field, bit, extracted),
      whole("bitfield_extract_unsigned", "U(Tuu)", integers, field, bit, extracted),
      whole("bit_reverse", "T(T)", integers, call, bit, reversed),
      whole("dot", "d(TT)", narrow_integers, call, dots, dot_of_bytes),
      whole("dot", "j(Tx)", narrow_integers, call, dots, dot_of_bytes),
      whole("dot_acc_sat", "d(TTd)", narrow_integers, call, dots, dot_of_bytes),
      whole("dot_acc_sat", "j(Txj)", narrow_integers, call, dots, dot_of_bytes),
  };
  const uint16_t words = int_32 | unsigned_types;
  rows.push_back(whole("dot_4x8packed_uu_uint", "u(uu)", words, call, dots, packed_dot<0, 0>));
  rows.push_back(whole("dot_4x8packed_ss_int", "j(uu)", words, call, dots, packed_dot<1, 1>));
  rows.push_back(whole("dot_4x8packed_us_int", "j(uu)", words, call, dots, packed_dot<0, 1>));
  rows.push_back(whole("dot_4x8packed_su_int", "j(uu)", words, call, dots, packed_dot<1, 0>));
  rows.push_back(
      whole("dot_acc_sat_4x8packed_uu_uint", "u(uuu)", words, call, dots, packed_dot<0, 0>));
  rows.push_back(
      whole("dot_acc_sat_4x8packed_ss_int", "j(uuj)", words, call, dots, packed_dot<1, 1>));
  rows.push_back(
      whole("dot_acc_sat_4x8packed_us_int", "j(uuj)", words, call, dots, packed_dot<0, 1>));
  rows.push_back(
      whole("dot_acc_sat_4x8packed_su_int", "j(uuj)", words, call, dots, packed_dot<1, 0>));
  return rows;
}

// `select` and similar functions, which take every type.
std::vector<Builtin> choosing_builtins() {
  return {
      {"select", "T(TTI)", {}, any, call, choose, false, false, fast},
      {"select", "T(TTU)", {}, any, call, choose, false, false, fast},
      {"bitselect",
       "T(TTT)",
       {finite, finite, finite},
       any,
       call,
       [](const Lane &l) { return (l.a & ~l.c) | (l.b & l.c); },
       clean},
      {"?", "T(ITT)", {}, any | vector_types, Builtin::ternary, choose_by_sign, false, false, fast},
      {"?", "T(UTT)", {}, any | vector_types, Builtin::ternary, choose_by_sign, false, false, fast},
      {"&&",
       "L(TT)",
       {opaque},
       floats | vector_types,
       infix,
       [](const Lane &l) { return truth(l) & truth(with(l, l.b)); }},
      {"!",
       "L(T)",
       {},
       floats,
       Builtin::prefix,
       [](const Lane &l) { return truth(l) ^ 1; },
       false,
       false,
       fast},
  };
}

std::vector<Builtin> float_builtins() {
  const std::vector<Guard> f2 = {finite, finite}, s3 = {small, small, small};
  return {
      {"fmin", "T(TT)", {}, floats, call, F(std::fmin(a, b)), false, plus},
      {"fmax", "T(TT)", {}, floats, call, F(std::fmax(a, b)), false, plus},
      {"fmin", "T(TS)", {}, floats | vector_types, call, F(std::fmin(a, b)), false, plus},
      {"fmax", "T(TS)", {}, floats | vector_types, call, F(std::fmax(a, b)), false, plus},
      {"min", "T(TT)", f2, floats, call, F(b < a ? b : a), false, plus, fast},
      {"max", "T(TT)", f2, floats, call, F(a < b ? b : a), false, plus, fast},
      {"min", "T(TS)", f2, floats | vector_types, call, F(b < a ? b : a), false, plus, fast},
      {"max", "T(TS)", f2, floats | vector_types, call, F(a < b ? b : a), false, plus, fast},
      {"clamp",
       "T(TTT)",
       {finite, tame, positive},
       floats,
       Builtin::helper,
       F(std::min(std::max(a, std::min(b, c)), std::max(b, c))),
       false,
       plus,
       fast},
      {"maxmag", "T(TT)", f2, floats, call,
       F(std::fabs(a) > std::fabs(b)   ? a
         : std::fabs(b) > std::fabs(a) ? b
                                       : std::max(a, b)),
       false, plus, fast},
      {"minmag", "T(TT)", f2, floats, call,
       F(std::fabs(a) < std::fabs(b)   ? a
         : std::fabs(b) < std::fabs(a) ? b
                                       : std::min(a, b)),
       false, plus, fast},
      {"fdim", "T(TT)", {}, floats, call, F(std::fdim(a, b)), false, plus},
      {"fmod", "T(TT)", {finite, nonzero}, floats, call, F(std::fmod(a, b)), false, plus},
      {"remainder", "T(TT)", {finite, nonzero}, floats, call, F(std::remainder(a, b)), false, plus},
      {"nextafter", "T(TT)", {}, wide_floats, call, F(std::nextafter(a, b)), false, plus},
      {"round", "T(T)", {}, floats, call, F(std::round(a))},
      {"logb", "T(T)", {}, floats, call, F(std::logb(a))},
      {"sign", "T(T)", {}, floats, call, F(decltype(a)((a > 0) - (a < 0))), false, plus},
      {"step", "T(TT)", f2, floats, call, F(b < a ? a - a : decltype(a)(1)), false, false, fast},
      {"step", "T(ST)", f2, floats | vector_types, call, F(b < a ? a - a : decltype(a)(1)), false,
       false, fast},
      {"mix", "T(TTT)", s3, floats, call, F(a + (b - a) * c), false, plus, fast},
      {"mix", "T(TTS)", s3, floats | vector_types, call, F(a + (b - a) * c), false, plus, fast},
      {"mad", "T(TTT)", s3, floats, call, F(a * b + c), false, plus, fast},
      {"ldexp", "T(TJ)", {none, exponent}, floats, call, scaled},
      {"ldexp", "T(Tj)", {none, exponent}, floats | vector_types, call, scaled},
      {"ilogb", "J(T)", {nonzero}, floats, call, exponent_of},
      {"sqrt", "T(T)", {positive}, floats, call, F(std::sqrt(a))},
      {"/", "T(TT)", {none, nonzero}, floats, infix, F(a / b)},
      {"+", "T(TS)", {}, floats | vector_types, infix, F(a + b)},
      {"*", "T(ST)", {}, floats | vector_types, infix, F(a * b)},
      {"isequal", "L(TT)", {}, floats, call, P(a == b)},
      {"isnotequal", "L(TT)", {}, floats, call, P(!(a == b))},
      {"isgreater", "L(TT)", {}, floats, call, P(a > b)},
      {"isgreaterequal", "L(TT)", {}, floats, call, P(a >= b)},
      {"isless", "L(TT)", {}, floats, call, P(a < b)},
      {"islessequal", "L(TT)", {}, floats, call, P(a <= b)},
      {"islessgreater", "L(TT)", {}, floats, call, P(a < b || a > b)},
      {"isordered", "L(TT)", {}, floats, call, P(a == a && b == b)},
      {"isunordered", "L(TT)", {}, floats, call, P(a != a || b != b)},
      {"isnan", "L(T)", {}, floats, call, P(a != a)},
      {"isinf", "L(T)", {}, floats, call, P(std::isinf(a))},
      {"isfinite", "L(T)", {}, floats, call, P(std::isfinite(a))},
      {"isnormal", "L(T)", {}, wide_floats, call, P(std::isnormal(a))},
      {"signbit", "L(T)", {finite}, floats, call, P(std::signbit(a))},
      {"nan",
       "T(U)",
       {},
       floats,
       call,
       [](const Lane &l) { return from_floating(l.elem, NAN); },
       clean},
      {"dot",
       "S(TT)",
       {small, small},
       floats,
       call,
       nullptr,
       false,
       plus,
       fast,
       anywhere,
       dot_product},
      {"cross",
       "T(TT)",
       {small, small},
       floats,
       call,
       nullptr,
       false,
       plus,
       fast,
       anywhere,
       cross_product},
  };
}

// Builtins whose types the generator chooses itself.
std::vector<Builtin> shuffling_builtins() {
  return {
      {"shuffle", "", {}, any, call, nullptr, false, false, fast, anywhere, shuffled},
      {"shuffle2", "", {}, any, call, nullptr, false, false, fast, anywhere, shuffled},
      // Generator::exact uses this guard to make arithmetic exact.
      {"small",
       "",
       {small},
       any,
       Builtin::guard,
       [](const Lane &l) { return l.a; },
       false,
       false,
       fast},
  };
}

#undef F
#undef P
#undef N

std::vector<Builtin> make_table() {
  std::vector<Builtin> all;
  for (auto part :
       {integer_builtins, extended_builtins, choosing_builtins, float_builtins, shuffling_builtins})
    for (Builtin &row : part())
      all.push_back(std::move(row));
  return all;
}

std::optional<Elem> half_as_wide(Elem e) {
  if (is_float(e) || bits(e) == 8)
    return std::nullopt;
  return Elem(int(e) - 2);
}

} // namespace

const std::vector<Builtin> &builtins() {
  static const std::vector<Builtin> table = make_table();
  return table;
}

int builtin_number(std::string_view name) {
  int i = 0;
  while (builtins()[size_t(i)].name != name)
    ++i;
  return i;
}

bool in_domain(const Builtin &row, Type base) {
  const Elem e = base.elem;
  const uint16_t kind = e == Elem::f16   ? float_16
                        : e == Elem::f32 ? float_32
                        : e == Elem::f64 ? float_64
                        : bits(e) == 64  ? long_64
                        : bits(e) == 32  ? int_32
                                         : narrow_integers;
  if (!(row.domain & kind) || ((row.domain & signed_types) && !is_signed(e)) ||
      ((row.domain & unsigned_types) && is_signed(e)) ||
      ((row.domain & vector_types) && base.lanes == 1))
    return false;
  if (row.whole == dot_of_bytes)
    return base.lanes == 4 && bits(e) == 8;
  if (std::string_view(row.name).find("packed") != std::string_view::npos)
    return base.lanes == 1;
  if (row.whole == dot_product)
    return base.lanes <= 4;
  if (row.whole == cross_product)
    return base.lanes == 3 || base.lanes == 4;
  return true;
}

std::optional<Type> type_of(char letter, Type base) {
  const std::optional<Elem> half = half_as_wide(base.elem);
  switch (letter) {
  case 'T':
    return base;
  case 'S':
    return Type{base.elem, 1};
  case 'I':
    return Type{to_signed(base.elem), base.lanes};
  case 'U':
    return Type{to_unsigned(base.elem), base.lanes};
  case 'J':
    return Type{Elem::i32, base.lanes};
  case 'B':
  case 'j':
    return type_int;
  case 'u':
    return type_uint;
  case 'd':
    return is_signed(base.elem) ? type_int : type_uint;
  case 'x':
    return Type{is_signed(base.elem) ? to_unsigned(base.elem) : to_signed(base.elem), base.lanes};
  case 'L':
    return base.lanes == 1 ? type_int : Type{to_signed(base.elem), base.lanes};
  case 'H':
    return half ? std::optional<Type>({*half, base.lanes}) : std::nullopt;
  case 'h':
    return half ? std::optional<Type>({to_unsigned(*half), base.lanes}) : std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {

// The base types with which the builtin returns `result`.
std::vector<Type> bases(const Builtin &row, Type result) {
  std::vector<Type> found;
  for (int e = 0; e < elem_count && *row.types; ++e)
    for (uint8_t lanes : {1, 2, 3, 4, 8, 16}) {
      const Type base{Elem(e), lanes};
      bool all = in_domain(row, base) && type_of(row.types[0], base) == result;
      for (const char *letter = row.types + 2; all && *letter != ')'; ++letter)
        all = type_of(*letter, base).has_value();
      if (all)
        found.push_back(base);
    }
  return found;
}

} // namespace

const std::vector<Choice> &choices(Type result) {
  static std::map<std::pair<Elem, uint8_t>, std::vector<Choice>> known;
  auto [at, first] = known.try_emplace({result.elem, result.lanes});
  for (size_t i = 0; first && i < builtins().size(); ++i)
    if (std::vector<Type> list = bases(builtins()[i], result); !list.empty())
      at->second.push_back({int(i), std::move(list)});
  return at->second;
}

Value evaluate_builtin(const Builtin &row, Type base, Type result, Arguments arguments) {
  Value v[4];
  for (size_t i = 0; i < arguments.size(); ++i) {
    v[i] = arguments[i];
    for (unsigned lane = 0; i < row.guards.size() && lane < v[i].type.lanes; ++lane)
      v[i].lane[lane] = guarded(row.guards[i], v[i].type.elem, v[i].lane[lane]);
  }
  Value out(result);
  if (row.whole) {
    out = row.whole(result, std::span(v, arguments.size()));
  } else {
    auto at = [&](size_t i, unsigned lane) {
      return i < arguments.size() ? v[i].lane[v[i].type.lanes == 1 ? 0 : lane] : 0;
    };
    const bool mask = row.types[0] == 'L' && base.lanes > 1;
    for (unsigned i = 0; i < result.lanes; ++i) {
      const uint64_t bits_of_it =
          row.lane({base.elem, base.lanes == 1, at(0, i), at(1, i), at(2, i)});
      out.lane[i] = wrap(result.elem, mask ? -bits_of_it : bits_of_it);
    }
  }
  for (unsigned i = 0; i < result.lanes && is_float(result.elem); ++i) {
    if (row.plus_zero && floating(result.elem, out.lane[i]) == 0)
      out.lane[i] = 0;
    if (row.cleaned)
      out.lane[i] = guarded(finite, result.elem, out.lane[i]);
  }
  return out;
}

Guard conversion_guard(Elem from, Elem to, bool saturate) {
  if (!is_float(from) || is_float(to) || saturate)
    return none;
  return !is_signed(to) ? positive : bits(to) < 32 ? tame : finite;
}

uint64_t guarded(Guard guard, Elem e, uint64_t v) {
  const double x = is_float(e) ? floating(e, v) : 0;
  const double clean_x = std::fabs(x) < 1e6 ? x : 1; // also replaces NaN
  const double tame_x = std::clamp(clean_x, -99.75, 99.75);
  switch (guard) {
  case none:
  case opaque:
    return v;
  case finite:
    return is_float(e) ? from_floating(e, clean_x) : v;
  case nonzero:
    return from_floating(e, clean_x == 0 ? 1 : clean_x);
  case tame:
    return from_floating(e, tame_x);
  case positive:
    return from_floating(e, std::fabs(tame_x));
  case small:
    return from_floating(e,
                         std::rint(std::clamp(clean_x, -largest_small(e), largest_small(e))) + 0.0);
  case divisor:
    return v == 0 || (is_signed(e) && signed_value(e, v) == -1) ? 3 : v;
  case narrow:
    return is_signed(e) ? wrap(e, uint64_t(int64_t(v << 40) >> 40)) : v & 0xffffff;
  case exponent:
    return wrap(e, uint64_t(std::clamp<int64_t>(signed_value(e, v), -200, 200)));
  }
  return v;
}

} // namespace lockstep::fuzz
