// Generates programs of rows: the compiler may interleave several of their sub-groups or coalesce
// several of their work-groups.
//
// Both require control flow that is the same in all rows of the launch, and loops that load the
// same values for all rows or accumulate a sum for each. About one random program in a thousand has
// this shape, so these are made on purpose. Conditions, bounds and indices are the same everywhere,
// work done once for a group is omitted, and some loops resemble a matrix product.
#include "generator.h"

#include <algorithm>

namespace lockstep::fuzz {

// Uses a random generator of its own, like choose_sub_groups. The local size in x is a multiple of
// the common numbers of lanes.
void Generator::choose_rows() {
  Random own(program_.seed ^ 0x2c1b3c6d);
  rows_ = own.chance(20);
  if (!rows_)
    return;
  alike_ = own.chance(50);
  Launch &launch = program_.launch;
  launch = Launch();
  static const std::vector<uint32_t> sizes = {4, 16, 16, 32, 64};
  launch.dimensions = own.between(2, 3);
  launch.local = {own.pick(sizes), 1, 1};
  const uint32_t row = own.between(1, launch.dimensions - 1); // the dimension of the rows
  if (own.chance(35))
    launch.local[row] = 1u << own.between(1, 3);
  const uint32_t groups = 1u << own.between(1, 3);
  for (uint32_t d = 0; d < launch.dimensions; ++d) {
    launch.global[d] = launch.local[d] * (d == row ? groups : d == 0 ? own.between(1, 2) : 1);
    if (own.chance(20))
      launch.offset[d] = own.between(1, 1000);
  }
  program_.required_size = own.chance(20);
  large_ = false;
  for (Type &type : types_)
    type.lanes = std::min<uint8_t>(type.lanes, 2); // repeated code must be small
  if (program_.sub_group_size)
    program_.sub_group_size = std::min(program_.sub_group_size, launch.local[0]);
}

// In programs of rows, a value is uniform if it is the same in all rows of the launch.
bool Generator::may_ask(Query q, Use use) const {
  const bool of_row = q == Query::global_linear || q == Query::group_linear ||
                      (q == Query::local_linear && program_.launch.local[1] > 1);
  if (rows_ && of_row && (use.uniform || alike_))
    return false;
  return !use.uniform || is_uniform(q);
}

namespace {

ExprPtr ask(Query query, uint32_t dimension) {
  ExprPtr e = make_query(query);
  e->args.push_back(make_literal(type_uint, dimension));
  return e;
}

// Element row * step + column, which is known to be within the input.
ExprPtr element(int input, Type type, ExprPtr row, uint32_t step, ExprPtr column) {
  ExprPtr e = make_load(
      input, type, false,
      make_operation(Op::add,
                     make_operation(Op::multiply, std::move(row), make_literal(type_uint, step)),
                     std::move(column)));
  e->within = true;
  return e;
}

} // namespace

// The product of iteration `counter`: a value that all columns load times one that all rows load.
ExprPtr Generator::product(int input, int counter, uint32_t rounds) {
  const Launch &launch = program_.launch;
  const Type type = program_.arrays[input].type;
  const uint32_t dimension = random_.between(1, launch.dimensions - 1);
  ExprPtr row = make_operation(Op::add,
                               make_operation(Op::multiply, ask(Query::group_id, dimension),
                                              make_literal(type_uint, launch.local[dimension])),
                               ask(Query::local_id, dimension));
  const uint32_t row_step = random_.between(1, (product_slots - rounds) / launch.global[dimension]);
  const uint32_t round_step = random_.between(1, (product_slots - launch.local[0]) / rounds);
  return cleaned(
      make_operation(Op::multiply, element(input, type, std::move(row), row_step, read(counter)),
                     element(input, type, read(counter), round_step, ask(Query::local_id, 0))));
}

// The inner loop of a matrix product.
void Generator::product_loop(Block &out, const Flow &outer) {
  std::vector<int> inputs;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (program_.arrays[i].space == Space::input)
      inputs.push_back(int(i));
  const int input = random_.pick(inputs);
  const Type type = program_.arrays[input].type;
  const int sum = declare_as(out, type, false, false, value(type, use(outer, false)));
  auto s = make_stmt(StmtKind::for_loop, new_variable(type_uint, true, true));
  // The compiler cannot know the trip count; otherwise it would unroll the loop.
  const uint32_t each = random_.between(1, 6), more = random_.between(0, 6);
  const uint32_t rounds = program_.launch.groups()[0] * each + more;
  ExprPtr bound = make_operation(
      Op::add,
      make_operation(Op::multiply, ask(Query::num_groups, 0), make_literal(type_uint, each)),
      make_literal(type_uint, more));
  s->expr.push_back(make_literal(type_uint, 0));
  s->expr.push_back(make_operation(Op::less, read(s->ref), std::move(bound)));
  s->expr.push_back(make_operation(Op::add, read(s->ref), make_literal(type_uint, 1)));
  const size_t scope = visible_.size();
  visible_.push_back(s->ref);
  Flow flow = outer;
  flow.loop = Flow::Loop::uniform;
  flow.in_switch = false;
  flow.loop_phases = phases_;
  flow.weight *= rounds;
  ++flow.depth;
  cost_ += 2 * flow.weight;
  Block body;
  const std::vector<Phase> entry = phases_;
  const size_t arrays = function_.private_arrays.size();
  if (random_.chance(40))
    statement(body, flow);
  auto add = make_stmt(StmtKind::assign, sum);
  add->expr.push_back(cleaned(make_operation(Op::add, read(sum), product(input, s->ref, rounds))));
  body.push_back(std::move(add));
  if (program_.sub_group_size && !flow.tangled && random_.chance(50))
    together(body, flow, false);
  restore(body, entry);
  s->blocks.push_back(std::move(body));
  visible_.resize(scope);
  hide_private_arrays(arrays);
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
