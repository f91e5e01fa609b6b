#include "generator.h"

#include <tuple>

namespace lockstep::fuzz {

StmtPtr make_stmt(StmtKind kind, int ref) {
  auto s = std::make_unique<Stmt>();
  s->kind = kind;
  s->ref = ref;
  return s;
}

StmtPtr make_store(int array, bool own, ExprPtr index, ExprPtr value) {
  auto s = make_stmt(StmtKind::store, array);
  s->own = own;
  s->expr.push_back(std::move(index));
  s->expr.push_back(std::move(value));
  return s;
}

int Generator::new_variable(Type type, bool uniform, bool constant) {
  const int number = int(function_.variables.size());
  const char *prefix = uniform ? "u" : "v";
  function_.variables.push_back({type, prefix + std::to_string(number), uniform, constant});
  return number;
}

int Generator::declare_as(Block &out, Type type, bool uniform, bool constant, ExprPtr initial) {
  const int variable = new_variable(type, uniform, constant);
  auto s = make_stmt(StmtKind::declare, variable);
  s->expr.push_back(std::move(initial));
  out.push_back(std::move(s));
  visible_.push_back(variable);
  return variable;
}

// ---- simple statements

void Generator::declare(Block &out, const Flow &flow) {
  const Type type = any_type();
  const bool uniform = flow.uniform && random_.chance(40);
  ExprPtr initial = value(type, use(flow, uniform));
  declare_as(out, type, uniform, false, std::move(initial));
}

void Generator::assign(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (int v : visible_) {
    const Variable &variable = function_.variables[v];
    if (!variable.constant && (flow.uniform || !variable.uniform))
      candidates.push_back(v);
  }
  if (candidates.empty())
    return declare(out, flow);
  auto s = make_stmt(StmtKind::assign, random_.pick(candidates));
  const Variable variable = function_.variables[s->ref];
  Type type = variable.type;
  if (type.lanes > 1 && random_.chance(40)) {
    s->lanes = different_lanes(type.lanes);
    s->style = int(random_.below(4));
    type.lanes = uint8_t(s->lanes.size());
  }
  if (s->lanes.empty() && !is_float(type.elem) && random_.chance(25)) { // op=
    const Op op = Op(random_.below(int(Op::modulo) + 1));
    s->expr.push_back(make_operation(op, read(s->ref),
                                     random_.chance(25)
                                         ? make_literal(type, 1)
                                         : expression(type, use(flow, variable.uniform))));
  } else {
    s->expr.push_back(value(type, use(flow, variable.uniform)));
  }
  out.push_back(std::move(s));
}

void Generator::assign_lane(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (int v : visible_) {
    const Variable &variable = function_.variables[v];
    if (variable.type.lanes > 1 && !variable.constant && (flow.uniform || !variable.uniform))
      candidates.push_back(v);
  }
  if (candidates.empty())
    return assign(out, flow);
  auto s = make_stmt(StmtKind::assign_lane, random_.pick(candidates));
  const Variable variable = function_.variables[s->ref];
  s->expr.push_back(index(use(flow, variable.uniform)));
  s->expr.push_back(value({variable.type.elem, 1}, use(flow, variable.uniform)));
  out.push_back(std::move(s));
}

// A pointer to one of two private arrays. The choice differs between work-items and is live across
// barriers.
void Generator::point(Block &out, const Flow &flow) {
  std::vector<std::pair<int, int>> candidates;
  const auto &arrays = function_.private_arrays;
  for (size_t i = 0; i < arrays.size(); ++i)
    for (size_t j = 0; j < arrays.size(); ++j)
      if (arrays[i].type == arrays[j].type && arrays[i].visible && arrays[j].visible)
        candidates.emplace_back(i, j);
  if (candidates.empty())
    return store(out, flow);
  const auto [first, second] = random_.pick(candidates);
  auto s = make_stmt(StmtKind::point, int(arrays.size()));
  s->targets = {first, second};
  s->needed = true; // stores through it could not be printed without it
  s->expr.push_back(truth(use(flow, false)));
  const uint32_t slots = std::min(arrays[first].slots, arrays[second].slots);
  function_.private_arrays.push_back({arrays[first].type, slots, "q" + std::to_string(s->ref)});
  function_.private_arrays.back().pointer = true;
  out.push_back(std::move(s));
}

void Generator::store(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size() && (in_kernel_ || function_.group); ++i) {
    const Array &array = program_.arrays[i];
    const bool slots = array.space == Space::local || array.space == Space::scratch;
    if (array.structure >= 0 || array.space == Space::estimate)
      continue;
    if (is_of_launch(array.space) || (slots && phases_[i] == Phase::own))
      candidates.push_back(int(i));
  }
  const size_t private_at = candidates.size();
  for (size_t i = 0; i < function_.private_arrays.size(); ++i)
    if (function_.private_arrays[i].visible)
      candidates.push_back(int(i));
  if (candidates.empty())
    return assign(out, flow);
  const size_t chosen = random_.below(uint32_t(candidates.size()));
  const int number = candidates[chosen];
  if (chosen < private_at) {
    ExprPtr at = index(use(flow, false));
    out.push_back(make_store(number, true, std::move(at),
                             value(program_.arrays[number].type, use(flow, false))));
    return;
  }
  auto s = make_stmt(StmtKind::private_store, number);
  s->expr.push_back(index(use(flow, false)));
  s->expr.push_back(value(function_.private_arrays[number].type, use(flow, false)));
  out.push_back(std::move(s));
}

void Generator::atomic(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size() && (in_kernel_ || function_.group); ++i) {
    const Space space = program_.arrays[i].space;
    if (space == Space::global_counter ||
        (space == Space::local_counter && phases_[i] == Phase::own))
      candidates.push_back(int(i));
  }
  if (candidates.empty())
    return assign(out, flow);
  auto s = make_stmt(StmtKind::atomic, random_.pick(candidates));
  s->expr.push_back(index(use(flow, false)));
  s->expr.push_back(expression(program_.arrays[s->ref].type, use(flow, false)));
  s->ordering = ordering(true, true);
  s->by_swap = !program_.c11_atomics && random_.chance(30) && !rows_;
  out.push_back(std::move(s));
}

// ---- group operations

void Generator::barrier(Block &out, std::vector<Phase> next) {
  auto s = make_stmt(StmtKind::barrier);
  for (size_t i = 0; i < next.size(); ++i)
    if (next[i] != phases_[i])
      (is_local(program_.arrays[i].space) ? s->fence_local : s->fence_global) = true;
  if (!s->fence_local && !s->fence_global)
    (random_.chance(70) ? s->fence_local : s->fence_global) = true;
  out.push_back(std::move(s));
  phases_ = std::move(next);
}

void Generator::random_barrier(Block &out) {
  std::vector<Phase> next = phases_;
  for (size_t i = 0; i < next.size(); ++i)
    if (has_phase(program_.arrays[i].space) && random_.chance(60))
      next[i] = next[i] == Phase::own ? Phase::shared : Phase::own;
  barrier(out, std::move(next));
}

void Generator::restore(Block &out, const std::vector<Phase> &phases) {
  if (phases_ != phases)
    barrier(out, phases);
}

void Generator::call_group_function(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.functions.size(); ++i)
    if (program_.functions[i].group &&
        cost_ + flow.weight * program_.functions[i].cost < cost_limit_)
      candidates.push_back(int(i));
  if (candidates.empty())
    return random_barrier(out);
  auto s = make_stmt(StmtKind::call);
  s->function = random_.pick(candidates);
  const Function &f = program_.functions[s->function];
  for (const PrivateArray &parameter : f.private_arrays) {
    std::vector<int> fitting;
    for (size_t i = 0; parameter.parameter && i < function_.private_arrays.size(); ++i)
      if (function_.private_arrays[i].visible &&
          function_.private_arrays[i].type == parameter.type &&
          function_.private_arrays[i].slots == parameter.slots)
        fitting.push_back(int(i));
    if (parameter.parameter && fitting.empty())
      return random_barrier(out);
    if (parameter.parameter)
      s->private_array = random_.pick(fitting);
  }
  restore(out, f.phases);
  for (int parameter : f.parameters)
    s->expr.push_back(
        value(f.variables[parameter].type, use(flow, f.variables[parameter].uniform)));
  if (!pass_structures(f, use(flow, false), s->expr))
    return;
  take_result(out, f, *s);
  out.push_back(std::move(s));
  cost_ += flow.weight * f.cost;
}

// Fills all slots of a local array from any offset of an input. No work-item uses the array
// meanwhile.
void Generator::async_copy(Block &out) {
  std::vector<std::pair<int, int>> candidates;
  const uint32_t items = program_.launch.group_items();
  for (size_t to = 0; to < program_.arrays.size(); ++to)
    for (size_t from = 0; from < program_.arrays.size(); ++from) {
      const Array &a = program_.arrays[to], &b = program_.arrays[from];
      if (a.space == Space::local && b.space == Space::input && a.type == b.type &&
          a.structure < 0 && b.slots >= items * a.slots)
        candidates.emplace_back(to, from);
    }
  if (candidates.empty())
    return random_barrier(out);
  auto s = make_stmt(StmtKind::async_copy);
  std::tie(s->ref, s->source) = random_.pick(candidates);
  const uint32_t count = items * program_.arrays[s->ref].slots;
  if (program_.arrays[s->source].slots >= 3 * count && random_.chance(50))
    s->stride = random_.between(2, 3);
  std::vector<Phase> next = phases_;
  next[s->ref] = Phase::shared;
  if (next == phases_) // even if work-items only read it: the copy is a write
    next[s->ref] = Phase::own;
  barrier(out, std::move(next));
  phases_[s->ref] = Phase::shared;
  s->expr.push_back(expression(type_uint, {2, true, false}));
  out.push_back(std::move(s));
}

// The usual tree reduction: in each iteration the first half of the items adds the values of the
// second half. Items write their own slot while they read others, but never one that is read in the
// same iteration.
void Generator::tree_reduction(Block &out) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (program_.arrays[i].structure < 0 &&
        (program_.arrays[i].space == Space::local || program_.arrays[i].space == Space::scratch))
      candidates.push_back(int(i));
  if (candidates.empty())
    return random_barrier(out);
  const int number = random_.pick(candidates);
  const Array &array = program_.arrays[number];
  std::vector<Phase> next = phases_;
  if (phases_[number] == Phase::own) { // the items' writes must be visible: pass through `shared`
    next[number] = Phase::shared;
    barrier(out, next);
  }
  next[number] = Phase::own;
  barrier(out, next);

  const size_t scope = visible_.size();
  const int me = declare_as(out, type_uint, false, true, make_query(Query::local_linear));
  const int count = declare_as(out, type_uint, true, true, make_query(Query::local_count));
  auto loop = make_stmt(StmtKind::while_loop, new_variable(type_uint, true, true));
  loop->expr.push_back(make_literal(type_uint, 12));
  loop->expr.push_back(make_operation(Op::less, make_literal(type_uint, 1), read(count)));
  Block body;
  const int upper =
      declare_as(body, type_uint, true, true,
                 make_operation(Op::shift_right,
                                make_operation(Op::add, read(count), make_literal(type_uint, 1)),
                                make_literal(type_uint, 1)));
  auto other = [&] { return make_operation(Op::add, read(me), read(upper)); };
  auto take = make_stmt(StmtKind::branch);
  take->expr.push_back(make_operation(Op::less, other(), read(count)));
  take->blocks.resize(2);
  const uint32_t per_item =
      array.strided ? 1 : array.slots; // slot 0 of item i is element i, or i * slots
  ExprPtr theirs =
      make_load(number, array.type, false,
                make_operation(Op::multiply, other(), make_literal(type_uint, per_item)));
  ExprPtr mine = make_load(number, array.type, true, make_literal(type_uint, 0));
  const Op op = is_float(array.type.elem) ? Op::add : random_.chance(50) ? Op::add : Op::max;
  take->blocks[0].push_back(
      make_store(number, true, make_literal(type_uint, 0),
                 cleaned(make_operation(op, std::move(mine), std::move(theirs)))));
  body.push_back(std::move(take));
  auto meet = make_stmt(StmtKind::barrier);
  (is_local(array.space) ? meet->fence_local : meet->fence_global) = true;
  body.push_back(std::move(meet));
  auto shrink = make_stmt(StmtKind::assign, count);
  shrink->expr.push_back(read(upper));
  body.push_back(std::move(shrink));
  loop->blocks.push_back(std::move(body));
  out.push_back(std::move(loop));
  visible_.resize(scope);
}

void Generator::together(Block &out, const Flow &flow, bool of_group) {
  static const std::vector<Type> of_sub_groups = {
      {Elem::i8},  {Elem::u8},  {Elem::i16}, {Elem::u16}, {Elem::i32},
      {Elem::u32}, {Elem::i64}, {Elem::u64}, {Elem::i32}, {Elem::u32}};
  static const std::vector<Type> of_groups = {{Elem::i32}, {Elem::u32}, {Elem::i64}, {Elem::u64}};
  auto s = make_stmt(StmtKind::together);
  s->together.of_group = of_group;
  s->together.kind = TogetherKind(
      random_.below(of_group ? int(TogetherKind::first) + 1 : int(TogetherKind::count) + 1));
  s->together.operation = uint8_t(random_.below(together_operations));
  Type type = random_.pick(of_group ? of_groups : of_sub_groups);
  const TogetherKind kind = s->together.kind;
  const bool predicate =
      kind == TogetherKind::any || kind == TogetherKind::all || kind == TogetherKind::elect;
  if (predicate || kind == TogetherKind::count)
    type = predicate ? type_int : type_uint;
  const bool uniform = of_group && kind != TogetherKind::inclusive &&
                       kind != TogetherKind::exclusive; // the same in all items of the group
  if (predicate || kind == TogetherKind::count)
    s->expr.push_back(truth(use(flow, false)));
  else
    s->expr.push_back(value(type, use(flow, false)));
  if (kind == TogetherKind::shuffle || (of_group && kind == TogetherKind::first))
    s->expr.push_back(index(use(flow, of_group)));
  s->ref = declare_as(out, type, uniform, false, make_literal(type, 0));
  out.push_back(std::move(s));
}

void Generator::statement(Block &out, Flow &flow) {
  cost_ += flow.weight;
  const bool room = flow.depth < (large_ ? 5 : 3) && cost_ + 8 * flow.weight < cost_limit_;
  const bool shares = flow.barriers && program_.launch.local_given;
  const bool apart = shares && !rows_; // requires a single group
  const bool in_loop =
      flow.loop == Flow::Loop::divergent || (flow.loop == Flow::Loop::uniform && flow.uniform);
  const bool may_leave = flow.may_return || (flow.barriers && flow.depth > 0);
  const bool meets = in_kernel_ && program_.sub_group_size && !flow.tangled;
  switch (random_.weighted({8,
                            12,
                            8,
                            4,
                            room ? 6u : 0u,
                            room ? 6u : 0u,
                            room ? 2u : 0u,
                            in_loop ? 3u : 0u,
                            may_leave ? 1u : 0u,
                            shares ? 8u : 0u,
                            apart ? 3u : 0u,
                            apart ? 2u : 0u,
                            apart && room ? 2u : 0u,
                            2,
                            1,
                            room ? 1u : 0u,
                            meets ? 12u : 0u,
                            meets && apart ? 5u : 0u,
                            apart && room ? 4u : 0u,
                            rows_ && room && in_kernel_ ? 6u : 0u,
                            rows_ ? 2u : 12u,
                            apart ? 2u : 0u,
                            structures_ ? 22u : 0u,
                            jumps_ && room ? 4u : 0u,
                            jumps_ && room ? 3u : 0u,
                            flow.may_jump() ? 8u : 0u,
                            estimates_ ? 14u : 0u,
                            program_.pipes.packets ? 10u : 0u,
                            mazes_left_ != 0 && room ? 20u : 0u})) {
  case 0:
    return declare(out, flow);
  case 1:
    return assign(out, flow);
  case 2:
    return store(out, flow);
  case 3:
    return atomic(out, flow);
  case 4:
    return branch(out, flow);
  case 5:
    return loop(out, flow);
  case 6:
    return choice(out, flow);
  case 7:
    return leave_loop(out, flow);
  case 8:
    return leave_function(out, flow);
  case 9:
    return random_barrier(out);
  case 10:
    return call_group_function(out, flow);
  case 11:
    return async_copy(out);
  case 13:
    return assign_lane(out, flow);
  case 14:
    return point(out, flow);
  case 15:
    return tangle(out, flow);
  case 16:
    return together(out, flow, false);
  case 17:
    return together(out, flow, true);
  case 18:
    return bounded_part(out, flow);
  case 19:
    return product_loop(out, flow);
  case 20:
    return memory_statement(out, flow);
  case 21:
    return copy_back(out);
  case 22:
    return structure_statement(out, flow);
  case 23:
    return nest(out, flow);
  case 24:
    return again(out, flow);
  case 25:
    return jump(out, flow);
  case 26:
    return estimate(out, flow);
  case 27:
    return ticket(out, flow);
  case 28:
    return maze(out, flow);
  default:
    cost_ += 12 * flow.weight;
    return tree_reduction(out);
  }
}

Block Generator::block(Flow flow, int statements) {
  const size_t scope = visible_.size(), arrays = function_.private_arrays.size(),
               objects = function_.objects.size(), pointers = function_.pointers.size();
  Block out;
  for (int i = 0; i < statements; ++i)
    statement(out, flow);
  visible_.resize(scope);
  hide_private_arrays(arrays);
  hide_objects(objects, pointers);
  return out;
}

// Hides the private arrays that a block has declared, at its end.
void Generator::hide_private_arrays(size_t first) {
  for (size_t i = first; i < function_.private_arrays.size(); ++i)
    function_.private_arrays[i].visible = false;
}

void Generator::hide_objects(size_t first_object, size_t first_pointer) {
  for (size_t i = first_object; i < function_.objects.size(); ++i)
    function_.objects[i].visible = false;
  for (size_t i = first_pointer; i < function_.pointers.size(); ++i)
    function_.pointers[i].visible = false;
}

} // namespace lockstep::fuzz
