// Generates `if (id < bound)` alone between two barriers, and similar loops. Trees and scans
// consist of such code, and the compiler ends loops over work-items early for it. The id appears in
// all spellings that kernels use, some of which wrap within the group; the bound may be any value.
#include "generator.h"

namespace lockstep::fuzz {

// A local or global id as `type`, perhaps with a uniform value added.
ExprPtr Generator::id_of_item(Type type) {
  const Query query =
      random_.pick(std::vector{Query::local_id, Query::local_linear, Query::global_id});
  ExprPtr id = make_query(query, random_.chance(50) ? type_ulong : type_uint);
  if (by_dimension(query))
    id->args.push_back(make_literal(type_uint, random_.below(program_.launch.dimensions)));
  if (random_.chance(25)) {
    ExprPtr more = expression(id->type, {2, true, true});
    id = make_operation(Op::add, std::move(id), std::move(more));
  }
  if (random_.chance(25)) {
    static const std::vector<Elem> narrow = {Elem::u32, Elem::u16, Elem::u8, Elem::i16};
    id = convert_to({random_.pick(narrow), 1}, std::move(id));
  }
  return convert_to(type, std::move(id));
}

ExprPtr Generator::bound_of_items(Type type) {
  switch (random_.below(4)) {
  case 0:
    return make_literal(type, random_.below(70));
  case 1:
    return convert_to(type, make_operation(Op::bit_and, expression(type_uint, {2, true, true}),
                                           make_literal(type_uint, 63)));
  case 2: { // in the middle of the launch
    auto first = make_query(Query::global_offset, type_ulong);
    first->args.push_back(make_literal(type_uint, random_.below(program_.launch.dimensions)));
    return convert_to(type, make_operation(Op::add, std::move(first),
                                           make_literal(type_ulong, random_.below(200))));
  }
  default:
    return expression(type, {2, true, true});
  }
}

void Generator::bounded_part(Block &out, const Flow &outer) {
  random_barrier(out);
  static const std::vector<Type> types = {type_uint, type_ulong, type_int, {Elem::i64, 1}};
  static const std::vector<Op> comparisons = {Op::less, Op::less, Op::less_equal, Op::equal};
  const Type type = random_.pick(types);
  ExprPtr id = id_of_item(type), bound = bound_of_items(type);
  if (random_.chance(15))
    std::swap(id, bound);
  ExprPtr condition = make_operation(random_.pick(comparisons), std::move(id), std::move(bound));
  if (random_.chance(15))
    condition = make_operation(Op::logical_and, std::move(condition), truth(use(outer, false)));
  if (random_.chance(10))
    condition = make_operation(Op::logical_not, std::move(condition));
  Flow flow = outer;
  flow.uniform = flow.barriers = false;
  if (outer.loop == Flow::Loop::uniform)
    flow.loop = Flow::Loop::none; // a single item may not leave a loop with barriers
  ++flow.depth;
  auto part = make_stmt(StmtKind::branch);
  part->expr.push_back(std::move(condition));
  part->blocks.push_back(block(flow, int(random_.between(1, 4))));
  part->blocks.push_back(random_.chance(15) ? block(flow, 1) : Block());
  out.push_back(std::move(part));
  random_barrier(out);
}

// `for (i = id; i < bound; i += step)`: all items of a sub-group except the last ones run the same
// number of iterations.
void Generator::strided_loop(Block &out, const Flow &outer) {
  const size_t scope = visible_.size();
  const Type type = random_.pick(std::vector<Type>{type_uint, type_ulong, type_int});
  const uint32_t step = random_.between(1, 64), rounds = random_.between(1, 4);
  ExprPtr first = convert_to(
      type, make_query(program_.launch.local_given ? Query::local_linear : Query::global_linear));
  if (random_.chance(30))
    first = make_operation(Op::add, std::move(first), make_literal(type, random_.below(9)));
  ExprPtr end = make_literal(type, random_.below(step * rounds + 1));
  if (random_.chance(50)) {
    const int bound = declare_as(out, type, true, true,
                                 make_operation(Op::bit_and, expression(type, {2, true, true}),
                                                make_literal(type, step < 4 ? 15 : 63)));
    end = make_operation(Op::add, read(bound), make_literal(type, random_.below(3)));
  }
  auto s = make_stmt(StmtKind::for_loop);
  s->ref = new_variable(type, false, true);
  s->expr.push_back(std::move(first));
  s->expr.push_back(
      make_operation(random_.chance(80) ? Op::less : Op::less_equal, read(s->ref), std::move(end)));
  s->expr.push_back(make_operation(Op::add, read(s->ref), make_literal(type, step)));
  visible_.push_back(s->ref);
  s->blocks.push_back(loop_body(outer, false, step < 4 ? 16 : rounds));
  visible_.resize(scope);
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
