// Generates expressions whose result is known within an error only: estimate.h.
#include "generator.h"

namespace lockstep::fuzz {

// Uses a random generator of its own, like other later additions.
void Generator::make_estimates() {
  Random own(program_.seed ^ 0x2c9277b5);
  if (!own.chance(30) || rows_)
    return;
  const Elem elem = program_.uses_double && own.chance(40) ? Elem::f64
                    : program_.uses_half && own.chance(60) ? Elem::f16
                                                           : Elem::f32;
  static const std::vector<uint8_t> lanes = {1, 1, 1, 2, 4, 8};
  add_array(Space::estimate, {elem, own.pick(lanes)}, own.between(2, 6));
  estimates_ = true;
}

// Sums and products are deeper than functions, because the compiler can regroup them.
void Generator::grow(Stmt &s, Type type, int depth, Use use) {
  if (depth == 0 || random_.chance(15)) {
    s.estimate.push_back({-1, int(s.expr.size()) - 1});
    s.expr.push_back(value(type, use));
    return;
  }
  int function = int(random_.below(uint32_t(estimate_function_count())));
  while (random_.chance(60) && !is_arithmetic(function))
    function = int(random_.below(uint32_t(estimate_function_count())));
  // A separate random generator keeps the rest of the program as it was without these.
  if (!is_arithmetic(function) && later_.chance(60)) {
    const std::vector<int> later = later_functions(operands_of(function), type);
    if (!later.empty())
      function = later_.pick(later);
  }
  for (int i = 0; i < operands_of(function); ++i)
    grow(s, type, depth - 1, use.deeper());
  s.estimate.push_back({function, -1});
}

void Generator::estimate(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size() && (in_kernel_ || function_.group); ++i)
    if (program_.arrays[i].space == Space::estimate)
      candidates.push_back(int(i));
  if (candidates.empty())
    return assign(out, flow);
  auto s = make_stmt(StmtKind::estimate, random_.pick(candidates));
  const Type type = program_.arrays[size_t(s->ref)].type;
  s->expr.push_back(index(use(flow, false)));
  grow(*s, type, type.lanes > 2 ? 2 : int(random_.between(1, 4)), use(flow, false));
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
