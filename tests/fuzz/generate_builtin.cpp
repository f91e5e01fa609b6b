// Generates expressions from the table of builtins, conversions that round or saturate, shuffles,
// and vectors made of vectors.
#include "generator.h"

#include "builtins.h"
#include "conversions.h"

namespace lockstep::fuzz {

ExprPtr Generator::builtin(Type type, Use use) {
  if (type.lanes > 1 && type.lanes != 3 && random_.chance(10))
    return shuffle(type, use);
  for (int tries = 0; tries < 10; ++tries) {
    const Choice &choice = random_.pick(choices(type));
    const Builtin &row = builtins()[choice.builtin];
    const Type base = random_.pick(choice.bases);
    const bool of_floats = is_float(base.elem);
    const bool divides = row.name == std::string("/") || row.name == std::string("sqrt");
    const bool missing = (row.needs != Builtin::nothing && !program_.opencl_3) ||
                         (row.needs == Builtin::bit_operations && !can_.bit_operations) ||
                         (row.needs == Builtin::dot_products && !can_.dot_products);
    if (missing || (program_.fast && of_floats && !row.fast) ||
        (divides && base.elem == Elem::f32 && !program_.exact_division) ||
        (base.elem == Elem::f64 && !program_.uses_double) ||
        (base.elem == Elem::f16 && (divides || !program_.uses_half)) ||
        (rows_ && base.lanes > 2)) // repeated code must be small
      continue;
    auto e = make_expr(ExprKind::builtin, type);
    e->op = choice.builtin;
    e->base = base;
    for (const char *letter = row.types + 2; *letter != ')'; ++letter) {
      const Type wanted = *type_of(*letter, base);
      // Wide vectors as three operands make programs large.
      e->args.push_back(wanted.lanes > 4 ? leaf(wanted, {1, use.uniform, use.shared})
                                         : expression(wanted, use.deeper()));
    }
    return e;
  }
  return operation(type, use);
}

ExprPtr Generator::shuffle(Type type, Use use) {
  static const std::vector<uint8_t> sizes = {2, 4, 4, 8, 16};
  auto e = make_expr(ExprKind::builtin, type);
  const bool two = random_.chance(50);
  const Type source{type.elem, rows_ ? uint8_t(2) : random_.pick(sizes)};
  e->op = builtin_number(two ? "shuffle2" : "shuffle");
  e->base = source;
  for (int i = 0; i <= int(two); ++i)
    e->args.push_back(expression(source, use.deeper()));
  e->args.push_back(expression({to_unsigned(type.elem), type.lanes}, use.deeper()));
  return e;
}

// An operand for which sums and products are exact under any compiler transformation.
ExprPtr Generator::exact(ExprPtr x) {
  auto e = make_expr(ExprKind::builtin, x->type);
  e->op = builtin_number("small");
  e->base = x->type;
  e->args.push_back(std::move(x));
  return e;
}

// Chooses build options with a random generator of its own. Fast math is only for programs whose
// floats it cannot change. There sums and products have small integers as operands, no value is
// NaN, infinite or denormal, and no result depends on the sign of a zero.
void Generator::choose_options() {
  static const std::vector<std::string> fast = {
      "-cl-fast-relaxed-math",
      "-cl-unsafe-math-optimizations",
      "-cl-mad-enable -cl-no-signed-zeros",
      "-cl-finite-math-only",
      "-cl-denorms-are-zero -cl-fast-relaxed-math",
      "-cl-mad-enable",
  };
  static const std::vector<std::string> others = {
      "-cl-opt-disable",     "-cl-opt-disable", "-cl-kernel-arg-info", "-g", "-w",
      "-cl-strict-aliasing",
  };
  Random own(program_.seed ^ 0x71f3a9d5);
  program_.fast = own.chance(15);
  if (program_.fast)
    program_.options = own.pick(fast);
  else if (own.chance(20))
    program_.options = own.pick(others);
  if (can_.shared_memory && Random(program_.seed ^ 0x4be1770d).chance(30))
    program_.memory = HostMemory(Random(program_.seed ^ 0x19c3f2a1).between(1, 3));
  program_.exact_division = !program_.fast && own.chance(20) && can_.exact_division;
  if (program_.exact_division)
    program_.options += " -cl-fp32-correctly-rounded-divide-sqrt";
}

// convert_<type>_sat_rte(...)
ExprPtr Generator::rounded_conversion(Type type, Use use) {
  auto e = make_expr(ExprKind::convert_rounded, type);
  Elem from = Elem(random_.below(int(Elem::f16)));
  if (random_.chance(50)) // between integers and floats, where rounding matters
    from = is_float(type.elem) ? Elem(random_.below(int(Elem::f32))) : Elem::f32;
  if (is_float(from))
    from = program_.uses_double && random_.chance(50) ? Elem::f64
           : program_.uses_half && random_.chance(60) ? Elem::f16
                                                      : Elem::f32;
  e->saturate = !is_float(type.elem) && random_.chance(50);
  e->op = int(random_.below(5));
  e->args.push_back(expression({from, type.lanes}, use.deeper()));
  return e;
}

// A vector literal of scalars and vectors, or of one scalar for all lanes.
ExprPtr Generator::vector_literal(Type type, Use use) {
  auto e = make_expr(ExprKind::make, type);
  if (random_.chance(20)) {
    e->args.push_back(expression({type.elem, 1}, use.deeper()));
    return e;
  }
  static const std::vector<uint8_t> sizes = {1, 1, 2, 2, 3, 4, 8};
  for (uint8_t left = type.lanes; left > 0;) {
    const uint8_t lanes = random_.pick(sizes);
    if (lanes > left || lanes == type.lanes)
      continue;
    const Type part{type.elem, lanes};
    e->args.push_back(type.lanes <= 4 ? expression(part, use.deeper())
                                      : leaf(part, {0, use.uniform, use.shared}));
    left = uint8_t(left - lanes);
  }
  return e;
}

// Lanes of a vector: any lanes in any order, or one of the named halves.
std::vector<uint8_t> Generator::some_lanes(uint8_t of, uint8_t count) {
  if (of == 2 * count && random_.chance(50))
    return half_lanes(Half(random_.below(4)), count);
  std::vector<uint8_t> lanes;
  for (uint8_t i = 0; i < count; ++i)
    lanes.push_back(uint8_t(random_.below(of)));
  return lanes;
}

// The same for the left side of an assignment: each lane at most once.
std::vector<uint8_t> Generator::different_lanes(uint8_t of) {
  std::vector<uint8_t> all, counts;
  for (uint8_t i = 0; i < of; ++i)
    all.push_back(i);
  for (uint8_t count : {1, 2, 3, 4, 8, 16})
    if (count <= of)
      counts.push_back(count);
  const uint8_t count = random_.pick(counts);
  if (of == 2 * count && random_.chance(60))
    return half_lanes(Half(random_.below(4)), count);
  for (uint8_t i = 0; i < count; ++i)
    std::swap(all[i], all[random_.between(i, of - 1u)]);
  all.resize(count);
  return all;
}

} // namespace lockstep::fuzz
