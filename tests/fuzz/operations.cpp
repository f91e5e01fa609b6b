#include "operations.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lockstep::fuzz {

namespace {

constexpr uint8_t both = integers | floats;

constexpr OpInfo table[op_count] = {
    {Op::add, "+", 2, both, ResultOf::operand, true},
    {Op::subtract, "-", 2, both, ResultOf::operand, true},
    {Op::multiply, "*", 2, both, ResultOf::operand, true},
    {Op::bit_and, "&", 2, integers, ResultOf::operand, true},
    {Op::bit_or, "|", 2, integers, ResultOf::operand, true},
    {Op::bit_xor, "^", 2, integers, ResultOf::operand, true},
    {Op::shift_left, "<<", 2, integers, ResultOf::operand, true},
    {Op::shift_right, ">>", 2, integers, ResultOf::operand, true},
    {Op::divide, "/", 2, integers, ResultOf::operand, true},
    {Op::modulo, "%", 2, integers, ResultOf::operand, true},
    {Op::guarded_divide, "/", 2, integers | unsigned_only | scalars_only, ResultOf::operand, true},
    {Op::negate, "-", 1, both, ResultOf::operand, true},
    {Op::bit_not, "~", 1, integers, ResultOf::operand, true},
    {Op::less, "<", 2, both, ResultOf::comparison, true},
    {Op::less_equal, "<=", 2, both, ResultOf::comparison, true},
    {Op::equal, "==", 2, both, ResultOf::comparison, true},
    {Op::not_equal, "!=", 2, both, ResultOf::comparison, true},
    {Op::logical_and, "&&", 2, integers | scalars_only, ResultOf::scalar_int, true},
    {Op::logical_or, "||", 2, integers | scalars_only, ResultOf::scalar_int, true},
    {Op::logical_not, "!", 1, integers | scalars_only, ResultOf::scalar_int, true},
    {Op::min, "min", 2, integers, ResultOf::operand, false},
    {Op::max, "max", 2, integers, ResultOf::operand, false},
    {Op::add_sat, "add_sat", 2, integers, ResultOf::operand, false},
    {Op::sub_sat, "sub_sat", 2, integers, ResultOf::operand, false},
    {Op::hadd, "hadd", 2, integers, ResultOf::operand, false},
    {Op::rhadd, "rhadd", 2, integers, ResultOf::operand, false},
    {Op::abs, "abs", 1, integers, ResultOf::unsigned_form, false},
    {Op::abs_diff, "abs_diff", 2, integers, ResultOf::unsigned_form, false},
    {Op::mul_hi, "mul_hi", 2, integers, ResultOf::operand, false},
    {Op::rotate, "rotate", 2, integers, ResultOf::operand, false},
    {Op::clz, "clz", 1, integers, ResultOf::operand, false},
    {Op::popcount, "popcount", 1, integers, ResultOf::operand, false},
    {Op::clamp, "clamp", 3, integers, ResultOf::operand, false},
    {Op::bitselect, "bitselect", 3, integers, ResultOf::operand, false},
    {Op::select, "select", 3, both | vectors_only, ResultOf::operand, false},
    {Op::fma, "fma", 3, floats, ResultOf::operand, false},
    {Op::fabs, "fabs", 1, floats, ResultOf::operand, false},
    {Op::floor, "floor", 1, floats, ResultOf::operand, false},
    {Op::ceil, "ceil", 1, floats, ResultOf::operand, false},
    {Op::trunc, "trunc", 1, floats, ResultOf::operand, false},
    {Op::rint, "rint", 1, floats, ResultOf::operand, false},
    {Op::copysign, "copysign", 2, floats, ResultOf::operand, false},
    {Op::clean, "clean", 1, floats, ResultOf::operand, false},
    {Op::any, "any", 1, integers | vectors_only, ResultOf::scalar_int, false},
    {Op::all, "all", 1, integers | vectors_only, ResultOf::scalar_int, false},
};

template <class F> uint64_t float_lane(Op op, F a, F b, F c) {
  auto pack = [](F f) {
    if constexpr (sizeof(F) == 4)
      return from_float(f);
    else
      return from_double(f);
  };
  switch (op) {
  case Op::add:
    return pack(a + b);
  case Op::subtract:
    return pack(a - b);
  case Op::multiply:
    return pack(a * b);
  case Op::negate:
    return pack(-a);
  case Op::fma:
    return pack(std::fma(a, b, c));
  case Op::fabs:
    return pack(std::fabs(a));
  case Op::floor:
    return pack(std::floor(a));
  case Op::ceil:
    return pack(std::ceil(a));
  case Op::trunc:
    return pack(std::trunc(a));
  case Op::rint:
    return pack(std::rint(a));
  case Op::copysign:
    return pack(std::copysign(a, b));
  case Op::clean:
    return pack(std::fabs(a) < F(1e6) ? a : F(1));
  case Op::less:
    return a < b;
  case Op::less_equal:
    return a <= b;
  case Op::equal:
    return a == b;
  case Op::not_equal:
    return a != b;
  default:
    std::abort(); // the generator respects the domains of the table
  }
}

// Halves: computed in double, where sums, differences and products of two halves are exact, then
// rounded once.
uint64_t half_lane(Op op, uint64_t a, uint64_t b, uint64_t c) {
  const double x = floating(Elem::f16, a), y = floating(Elem::f16, b), z = floating(Elem::f16, c);
  if (op == Op::fma) {
    // The product is exact; the sum may not be. The lost part goes into the last bit, so that the
    // second rounding knows on which side of a tie the sum was.
    const double product = x * y, sum = product + z;
    const double of_z = sum - product, lost = (product - (sum - of_z)) + (z - of_z);
    uint64_t bits_of_sum = from_double(sum);
    if (lost != 0 && std::isfinite(sum) && !(bits_of_sum & 1))
      bits_of_sum = (lost > 0) == (sum > 0) ? bits_of_sum | 1 : bits_of_sum - 1;
    return from_floating(Elem::f16, to_double(bits_of_sum));
  }
  const uint64_t result = float_lane<double>(op, x, y, z);
  return info(op).result == ResultOf::comparison ? result
                                                 : from_floating(Elem::f16, to_double(result));
}

using Wide = __int128;

Wide saturate(Elem e, Wide v) {
  Wide top = (Wide(1) << (bits(e) - is_signed(e))) - 1;
  return std::clamp(v, is_signed(e) ? -top - 1 : Wide(0), top);
}

// a, b, c are mathematical integers; the caller wraps the result.
Wide integer_lane(Op op, Elem e, bool scalar, Wide a, Wide b, Wide c) {
  const unsigned width = bits(e);
  // The shift count is taken modulo the width of the promoted first operand; vectors are not
  // promoted.
  const unsigned count = unsigned(uint64_t(b)) & ((scalar && width < 32 ? 32 : width) - 1);
  const Wide divisor = (b & 63) + 1;
  switch (op) {
  case Op::add:
    return a + b;
  case Op::subtract:
    return a - b;
  case Op::multiply:
    return Wide(uint64_t(a) * uint64_t(b));
  case Op::bit_and:
    return a & b;
  case Op::bit_or:
    return a | b;
  case Op::bit_xor:
    return a ^ b;
  case Op::shift_left:
    return Wide(uint64_t(a) << count);
  case Op::shift_right:
    return a >> count;
  case Op::divide:
    return a / divisor;
  case Op::modulo:
    return a % divisor;
  case Op::guarded_divide:
    return b == 0 ? a : a / b;
  case Op::negate:
    return -a;
  case Op::bit_not:
    return ~a;
  case Op::less:
    return a < b;
  case Op::less_equal:
    return a <= b;
  case Op::equal:
    return a == b;
  case Op::not_equal:
    return a != b;
  case Op::logical_and:
    return a != 0 && b != 0;
  case Op::logical_or:
    return a != 0 || b != 0;
  case Op::logical_not:
    return a == 0;
  case Op::min:
    return std::min(a, b);
  case Op::max:
    return std::max(a, b);
  case Op::add_sat:
    return saturate(e, a + b);
  case Op::sub_sat:
    return saturate(e, a - b);
  case Op::hadd:
    return (a + b) >> 1;
  case Op::rhadd:
    return (a + b + 1) >> 1;
  case Op::abs:
    return a < 0 ? -a : a;
  case Op::abs_diff:
    return a < b ? b - a : a - b;
  case Op::mul_hi:
    return is_signed(e) ? (a * b) >> width
                        : Wide((unsigned __int128)(a) * (unsigned __int128)(b) >> width);
  case Op::rotate: {
    uint64_t v = wrap(e, uint64_t(a));
    unsigned by = unsigned(uint64_t(b)) & (width - 1);
    return by ? Wide(v << by | v >> (width - by)) : Wide(v);
  }
  case Op::clz:
    return std::countl_zero(wrap(e, uint64_t(a))) - int(64 - width);
  case Op::popcount:
    return std::popcount(wrap(e, uint64_t(a)));
  case Op::clamp:
    return std::clamp(a, std::min(b, c), std::max(b, c));
  case Op::bitselect:
    return (a & ~c) | (b & c);
  default:
    std::abort();
  }
}

uint64_t lane_of(Op op, Elem e, bool scalar, uint64_t a, uint64_t b, uint64_t c) {
  if (e == Elem::f16)
    return half_lane(op, a, b, c);
  if (e == Elem::f32)
    return float_lane<float>(op, to_float(a), to_float(b), to_float(c));
  if (e == Elem::f64)
    return float_lane<double>(op, to_double(a), to_double(b), to_double(c));
  auto number = [&](uint64_t v) { return is_signed(e) ? Wide(signed_value(e, v)) : Wide(v); };
  return uint64_t(integer_lane(op, e, scalar, number(a), number(b), number(c)));
}

bool sign_bit(Elem e, uint64_t v) {
  return v >> (bits(e) - 1) & 1;
}

Value reduce(Op op, const Value &v) {
  bool result = op == Op::all;
  for (unsigned i = 0; i < v.type.lanes; ++i)
    result = op == Op::all ? result && sign_bit(v.type.elem, v.lane[i])
                           : result || sign_bit(v.type.elem, v.lane[i]);
  return {type_int, result};
}

} // namespace

const OpInfo &info(Op op) {
  return table[int(op)];
}

Type result_type(Op op, Type operand) {
  switch (info(op).result) {
  case ResultOf::operand:
    return operand;
  case ResultOf::comparison:
    return operand.lanes == 1 ? type_int : Type{to_signed(operand.elem), operand.lanes};
  case ResultOf::unsigned_form:
    return {to_unsigned(operand.elem), operand.lanes};
  case ResultOf::scalar_int:
    return type_int;
  }
  std::abort();
}

Value evaluate(Op op, Type result, std::span<const Value> operands) {
  const Type type = operands[0].type;
  if (op == Op::any || op == Op::all)
    return reduce(op, operands[0]);
  Value out(result);
  for (unsigned i = 0; i < type.lanes; ++i) {
    uint64_t a = operands[0].lane[i];
    uint64_t b = operands.size() > 1 ? operands[1].lane[i] : 0;
    uint64_t c = operands.size() > 2 ? operands[2].lane[i] : 0;
    if (op == Op::select) {
      out.lane[i] = sign_bit(operands[2].type.elem, c) ? b : a;
      continue;
    }
    uint64_t v = lane_of(op, type.elem, type.lanes == 1, a, b, c);
    bool mask = info(op).result == ResultOf::comparison && type.lanes > 1;
    out.lane[i] = wrap(result.elem, mask ? -v : v);
  }
  return out;
}

uint64_t clean(Elem elem, uint64_t v) {
  return lane_of(Op::clean, elem, true, v, 0, 0);
}

const char *name(AtomicOp op) {
  static const char *const names[atomic_op_count] = {"add", "min", "max", "and", "or", "xor"};
  return names[int(op)];
}

uint64_t apply(AtomicOp op, Elem elem, uint64_t old, uint64_t operand) {
  static constexpr Op same[atomic_op_count] = {Op::add,     Op::min,    Op::max,
                                               Op::bit_and, Op::bit_or, Op::bit_xor};
  return wrap(elem, lane_of(same[int(op)], elem, true, old, operand, 0));
}

} // namespace lockstep::fuzz
