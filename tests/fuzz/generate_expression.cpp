#include "generator.h"

namespace lockstep::fuzz {

ExprPtr make_expr(ExprKind kind, Type type) {
  auto e = std::make_unique<Expr>();
  e->kind = kind;
  e->type = type;
  return e;
}

ExprPtr make_literal(Type type, uint32_t number) {
  auto e = make_expr(ExprKind::literal, type);
  e->literal = splat(type, number);
  return e;
}

ExprPtr make_operation(Op op, ExprPtr a, ExprPtr b, ExprPtr c) {
  auto e = make_expr(ExprKind::operation, result_type(op, a->type));
  e->op = int(op);
  for (ExprPtr *argument : {&a, &b, &c})
    if (*argument)
      e->args.push_back(std::move(*argument));
  return e;
}

ExprPtr make_query(Query query, Type type) {
  auto e = make_expr(ExprKind::query, type);
  e->op = int(query);
  return e;
}

ExprPtr make_load(int array, Type type, bool own, ExprPtr index) {
  auto e = make_expr(ExprKind::load, type);
  e->ref = array;
  e->own = own;
  e->args.push_back(std::move(index));
  return e;
}

ExprPtr convert_to(Type type, ExprPtr e) {
  if (e->type == type)
    return e;
  auto c = make_expr(ExprKind::convert, type);
  c->args.push_back(std::move(e));
  return c;
}

ExprPtr Generator::cleaned(ExprPtr e) {
  const bool already = e->kind == ExprKind::operation && Op(e->op) == Op::clean;
  const bool kept = e->kind == ExprKind::variable || e->kind == ExprKind::literal ||
                    e->kind == ExprKind::load || e->kind == ExprKind::place;
  return is_float(e->type.elem) && !already && !kept ? make_operation(Op::clean, std::move(e))
                                                     : std::move(e);
}

ExprPtr Generator::read(int variable) const {
  auto e = make_expr(ExprKind::variable, function_.variables[variable].type);
  e->ref = variable;
  return e;
}

bool Generator::may_read(const Array &array, size_t number, Use use) const {
  switch (array.space) {
  case Space::table:
    return true;
  case Space::input:
    return in_kernel_ || function_.group || !function_.item_free;
  case Space::output:
    return (in_kernel_ || function_.group) && !use.uniform;
  case Space::variable:
    return !function_.item_free && !use.uniform;
  case Space::local:
  case Space::scratch:
    return !(rows_ && use.uniform) && use.shared && (in_kernel_ || function_.group) &&
           (phases_[number] == Phase::shared || !use.uniform);
  case Space::local_counter:
    return !(rows_ && use.uniform) && use.shared && (in_kernel_ || function_.group) &&
           phases_[number] == Phase::shared;
  case Space::global_counter:
  case Space::tickets:
  case Space::estimate:
  case Space::packets:
    return false;
  }
  return false;
}

ExprPtr Generator::array_load(Type type, Use use) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (program_.arrays[i].type == type && may_read(program_.arrays[i], i, use))
      candidates.push_back(int(i));
  const int private_at = int(candidates.size());
  for (size_t i = 0; !use.uniform && i < function_.private_arrays.size(); ++i)
    if (function_.private_arrays[i].type == type && function_.private_arrays[i].visible)
      candidates.push_back(int(i));
  if (candidates.empty())
    return nullptr;
  const int chosen = int(random_.below(uint32_t(candidates.size())));
  ExprPtr at = use.depth > 0 ? index(use.deeper()) : leaf(type_uint, {0, use.uniform, use.shared});
  if (chosen >= private_at) {
    auto e = make_expr(ExprKind::private_load, type);
    e->ref = candidates[chosen];
    e->args.push_back(std::move(at));
    return e;
  }
  const Array &array = program_.arrays[candidates[chosen]];
  const bool slots = array.space == Space::local || array.space == Space::scratch;
  const bool own =
      is_of_launch(array.space) || (slots && (phases_[candidates[chosen]] == Phase::own ||
                                              (!use.uniform && random_.chance(20))));
  return make_load(candidates[chosen], type, own, std::move(at));
}

// Loads several adjacent elements of a scalar input at once.
ExprPtr Generator::vector_load(Type type, Use use) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array &array = program_.arrays[i];
    if (array.space == Space::input && array.type == Type{type.elem, 1} &&
        may_read(array, i, use) && array.slots >= type.lanes)
      candidates.push_back(int(i));
  }
  if (type.lanes == 1 || candidates.empty())
    return nullptr;
  auto e = make_expr(ExprKind::vector_load, type);
  e->ref = random_.pick(candidates);
  e->args.push_back(index(use.deeper()));
  return e;
}

std::vector<int> Generator::readable_vectors(Elem elem, bool uniform) const {
  std::vector<int> list;
  for (int v : visible_) {
    const Variable &variable = function_.variables[v];
    if (variable.type.lanes > 1 && variable.type.elem == elem && (!uniform || variable.uniform))
      list.push_back(v);
  }
  return list;
}

// A query of the launch or of the item, as uint or ulong.
ExprPtr Generator::query(Use use) {
  std::vector<Query> candidates;
  for (int i = 0; i <= int(Query::local_count); ++i) {
    const Query q = Query(i);
    const bool of_group = q == Query::local_id || q == Query::group_id || q == Query::local_size ||
                          q == Query::num_groups || q == Query::enqueued_local_size ||
                          q == Query::local_linear || q == Query::group_linear ||
                          q == Query::local_count;
    if (!may_ask(q, use) || (of_group && !program_.launch.local_given) ||
        (q == Query::enqueued_local_size && !program_.opencl_3))
      continue;
    candidates.push_back(q);
    if (!is_uniform(q)) // values that differ between items matter more
      candidates.insert(candidates.end(), 2, q);
  }
  const Query q = random_.pick(candidates);
  ExprPtr e = make_query(q, random_.chance(20) ? type_ulong : type_uint);
  if (by_dimension(q)) {
    const bool computed = use.depth > 1 && random_.chance(10) && !rows_;
    const bool of_item = q == Query::global_id || q == Query::local_id || q == Query::group_id;
    const bool first = rows_ && of_item && (use.uniform || alike_);
    e->args.push_back(
        computed ? make_operation(Op::bit_and, index({1, use.uniform, use.shared}),
                                  make_literal(type_uint, 3))
                 : make_literal(type_uint, first ? 0 : random_.below(program_.launch.dimensions)));
  }
  return e;
}

ExprPtr Generator::leaf(Type type, Use use) {
  std::vector<int> same, others, vectors;
  for (int v : visible_) {
    const Variable &variable = function_.variables[v];
    if (use.uniform && !variable.uniform)
      continue;
    if (variable.type == type)
      same.push_back(v);
    else if (variable.type.lanes == type.lanes)
      others.push_back(v);
    else if (type.lanes == 1 && variable.type.elem == type.elem)
      vectors.push_back(v);
  }
  const bool ask = type.lanes == 1 && !is_float(type.elem) && !function_.item_free;
  switch (
      random_.weighted({same.empty() ? 0u : 8u, others.empty() ? 0u : 3u, vectors.empty() ? 0u : 2u,
                        use.depth > 0 ? 5u : 1u, ask ? 3u : 0u, 2u, structures_ ? 8u : 0u})) {
  case 0:
    return read(random_.pick(same));
  case 1:
    return convert_to(type, read(random_.pick(others)));
  case 2: {
    auto e = make_expr(ExprKind::swizzle, type);
    e->args.push_back(read(random_.pick(vectors)));
    e->lanes.push_back(uint8_t(random_.below(e->args[0]->type.lanes)));
    return e;
  }
  case 3:
    if (random_.chance(30))
      if (ExprPtr e = vector_load(type, use))
        return e;
    if (random_.chance(40))
      if (ExprPtr e = view_load(type, use))
        return e;
    if (ExprPtr e = array_load(type, use))
      return e;
    break;
  case 4:
    return convert_to(type, query(use));
  case 6:
    if (ExprPtr e = place_value(type, use))
      return e;
    break;
  default:
    break;
  }
  auto e = make_expr(ExprKind::literal, type);
  e->literal = random_value(type);
  return e;
}

ExprPtr Generator::operation_with(Op op, Type operand, Type result, Use use) {
  auto e = make_expr(ExprKind::operation, result);
  e->op = int(op);
  const bool rounds = op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::fma;
  for (int i = 0; i < info(op).arity; ++i) {
    e->args.push_back(expression(operand, use.deeper()));
    if (program_.fast && rounds && is_float(operand.elem))
      e->args.back() = exact(std::move(e->args.back()));
  }
  if (op == Op::select)
    e->args[2] = comparison({to_signed(operand.elem), operand.lanes}, use.deeper());
  if (op == Op::copysign) // the sign of a NaN is unspecified
    e->args[1] = cleaned(std::move(e->args[1]));
  return e;
}

ExprPtr Generator::operation(Type type, Use use) {
  for (int tries = 0; tries < 20; ++tries) {
    // Plain operators are as frequent as all functions together.
    const Op op = Op(random_.chance(50) ? random_.below(int(Op::less)) : random_.below(op_count));
    const OpInfo &row = info(op);
    Type operand = type;
    if (row.result == ResultOf::unsigned_form) {
      if (is_signed(type.elem))
        continue;
      if (random_.chance(60))
        operand.elem = to_signed(type.elem);
    }
    const bool fits = is_float(operand.elem) ? row.domain & floats : row.domain & integers;
    if (!fits || (row.result != ResultOf::operand && row.result != ResultOf::unsigned_form) ||
        ((row.domain & unsigned_only) && is_signed(operand.elem)) ||
        ((row.domain & scalars_only) && operand.lanes > 1) ||
        ((row.domain & vectors_only) && operand.lanes == 1) ||
        (op == Op::copysign && program_.fast))
      continue;
    return operation_with(op, operand, type, use);
  }
  return leaf(type, use);
}

// A comparison: 0 or 1 as int, or a mask of lanes.
ExprPtr Generator::comparison(Type type, Use use) {
  static const std::vector<Op> comparisons = {Op::less, Op::less_equal, Op::equal, Op::not_equal};
  if (use.depth <= 0)
    return leaf(type, use);
  if (type.lanes == 1) {
    if (random_.chance(25)) {
      static const std::vector<Op> logical = {Op::logical_and, Op::logical_or, Op::logical_not};
      return operation_with(random_.pick(logical), type_int, type_int, use);
    }
    const Type any = any_type();
    if (any.lanes > 1 && is_signed(any.elem) && !is_float(any.elem))
      return operation_with(random_.chance(50) ? Op::any : Op::all, any, type_int, use);
    return operation_with(random_.pick(comparisons), scalar_type(), type_int, use);
  }
  Elem elem = type.elem;
  if (random_.chance(30))
    elem = to_unsigned(elem);
  else if (program_.uses_half && type.elem == Elem::i16)
    elem = Elem::f16;
  else if (random_.chance(50) && (type.elem == Elem::i32 ||
                                  (type.elem == Elem::i64 && can_.fp64 && program_.uses_double)))
    elem = type.elem == Elem::i32 ? Elem::f32 : Elem::f64;
  return operation_with(random_.pick(comparisons), {elem, type.lanes}, type, use);
}

// A condition. Most random expressions are nearly always true, so half of the conditions are chosen
// to be true for some values and false for others.
ExprPtr Generator::truth(Use use) {
  if (rows_) // not of an item: a branch could become divergent
    return comparison(type_int, {use.depth, true, use.shared});
  if (function_.item_free || random_.chance(40))
    return random_.chance(50) ? comparison(type_int, use) : expression(type_int, use);
  static const std::vector<Query> of_item = {Query::local_linear, Query::global_linear};
  static const std::vector<Query> of_group = {Query::group_linear, Query::local_count};
  const bool local = program_.launch.local_given;
  ExprPtr number = use.uniform && !local         ? make_query(Query::global_size)
                   : use.uniform                 ? make_query(random_.pick(of_group))
                   : local && random_.chance(60) ? make_query(random_.pick(of_item))
                                                 : make_query(Query::global_linear);
  if (Query(number->op) == Query::global_size)
    number->args.push_back(make_literal(type_uint, 0));
  if (random_.chance(60))
    number = make_operation(random_.chance(50) ? Op::add : Op::bit_xor, std::move(number),
                            index(use.deeper()));
  const uint32_t period = random_.between(2, 7);
  return make_operation(
      random_.chance(50) ? Op::less : Op::equal,
      make_operation(Op::modulo, std::move(number), make_literal(type_uint, period - 1)),
      make_literal(type_uint, random_.between(1, period - 1)));
}

// Reinterprets the bits as another type.
ExprPtr Generator::reinterpretation(Type type, Use use) {
  if (program_.fast && is_float(type.elem)) // arbitrary bits may be a NaN
    return operation(type, use);
  std::vector<Type> candidates;
  for (int elem = 0; elem < elem_count; ++elem)
    for (uint8_t lanes : {1, 2, 3, 4, 8, 16}) {
      const Type from{Elem(elem), lanes};
      // A vector of three can come from one of three or four lanes, whose last element is dropped.
      const bool three = type.lanes == 3 ? lanes == 3 || lanes == 4 : lanes != 3;
      if (three && size_of(from) == size_of(type) && !(from == type) &&
          (from.elem != Elem::f64 || program_.uses_double) &&
          (from.elem != Elem::f16 || program_.uses_half))
        candidates.push_back(from);
    }
  if (candidates.empty())
    return operation(type, use);
  auto e = make_expr(ExprKind::reinterpret, type);
  e->args.push_back(expression(random_.pick(candidates), use.deeper()));
  return e;
}

// A vector made of scalars, or of the lanes of another vector.
ExprPtr Generator::composition(Type type, Use use) {
  std::vector<Type> sources;
  for (Type t : types_)
    if (t.elem == type.elem && t.lanes > 1)
      sources.push_back(t);
  if (!sources.empty() && random_.chance(60)) {
    auto e = make_expr(ExprKind::swizzle, type);
    e->args.push_back(expression(random_.pick(sources), use.deeper()));
    e->lanes = some_lanes(e->args[0]->type.lanes, type.lanes);
    e->op = int(random_.below(4));
    return e;
  }
  if (type.lanes == 1) {
    const std::vector<int> vectors = readable_vectors(type.elem, use.uniform);
    if (vectors.empty())
      return operation(type, use);
    auto e = make_expr(ExprKind::lane, type);
    e->ref = random_.pick(vectors);
    e->args.push_back(index(use.deeper()));
    return e;
  }
  if (random_.chance(50))
    return vector_literal(type, use);
  auto e = make_expr(ExprKind::make, type);
  for (unsigned i = 0; i < type.lanes; ++i)
    e->args.push_back(type.lanes <= 4 ? expression({type.elem, 1}, use.deeper())
                                      : leaf({type.elem, 1}, {0, use.uniform, use.shared}));
  return e;
}

ExprPtr Generator::function_call(Type type, Use use) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.functions.size(); ++i) {
    const Function &f = program_.functions[i];
    if (!f.group && !f.changes && f.result == type && (!use.uniform || f.item_free) &&
        (!function_.item_free || f.item_free) && cost_ + f.cost < cost_limit_)
      candidates.push_back(int(i));
  }
  ExprPtr e = candidates.empty() ? nullptr : call_of(random_.pick(candidates), use);
  return e ? std::move(e) : operation(type, use);
}

ExprPtr Generator::expression(Type type, Use use) {
  if (type.lanes > 4) // operates lane by lane: programs must stay small
    use.depth = std::min(use.depth, type.lanes == 8 ? 2 : 1);
  if (use.depth <= 0 || random_.chance(15))
    return leaf(type, use);
  const bool logical =
      type == type_int || (type.lanes > 1 && !is_float(type.elem) && is_signed(type.elem));
  switch (random_.weighted({8, logical ? 4u : 0u, 3, 2, type.lanes > 1 ? 5u : 1u, 2, 2, 6, 3})) {
  case 0:
    return operation(type, use);
  case 1:
    return comparison(type, use);
  case 2: {
    auto e = make_expr(ExprKind::condition, type);
    e->args.push_back(truth(use.deeper()));
    e->args.push_back(expression(type, use.deeper()));
    e->args.push_back(expression(type, use.deeper()));
    return e;
  }
  case 3:
    return reinterpretation(type, use);
  case 4:
    return composition(type, use);
  case 5: {
    const Type from{any_type().elem, type.lanes};
    return convert_to(type, expression(from, use.deeper()));
  }
  case 6:
    return function_call(type, use);
  case 7:
    return builtin(type, use);
  default:
    return rounded_conversion(type, use);
  }
}

} // namespace lockstep::fuzz
