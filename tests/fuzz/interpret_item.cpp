#include "interpreter.h"

#include <algorithm>
#include <cmath>

namespace lockstep::fuzz {

void Interpreter::assign(Frame &frame, const Stmt &s, const Value &v) {
  Value &target = frame.variables[s.ref];
  if (s.lanes.empty()) {
    target = v;
    return;
  }
  for (size_t i = 0; i < s.lanes.size(); ++i)
    target.lane[s.lanes[i]] = v.lane[i];
}

void Interpreter::simple(Item &item, Frame &frame, const Stmt &s) {
  if (memory_statement(item, frame, s))
    return;
  if (s.kind == StmtKind::estimate)
    return estimate(item, frame, s);
  if (s.kind >= StmtKind::object)
    return structure_statement(item, frame, s);
  Value first = evaluate_expr(item, frame, *s.expr[0]);
  switch (s.kind) {
  case StmtKind::declare:
  case StmtKind::assign:
    return assign(frame, s, first);
  case StmtKind::store: {
    Value value = evaluate_expr(item, frame, *s.expr[1]);
    return store(value, element(item, s.ref, s.own, uint32_t(first.lane[0]), Access::write));
  }
  case StmtKind::assign_lane: {
    Value value = evaluate_expr(item, frame, *s.expr[1]);
    Value &vector = frame.variables[s.ref];
    vector.lane[uint32_t(first.lane[0]) % vector.type.lanes] = value.lane[0];
    return;
  }
  case StmtKind::point:
    frame.arrays[s.ref] = frame.arrays[s.targets[first.lane[0] ? 0 : 1]];
    return;
  case StmtKind::private_store: {
    PrivateStorage &array = *frame.arrays[s.ref];
    Value value = evaluate_expr(item, frame, *s.expr[1]);
    array[uint32_t(first.lane[0]) % slots_of(frame, s.ref)] = value;
    return;
  }
  case StmtKind::atomic: {
    const Array &array = program_.arrays[s.ref];
    Value operand = evaluate_expr(item, frame, *s.expr[1]);
    uint8_t *place = element(item, s.ref, false, uint32_t(first.lane[0]), Access::atomic);
    Value now = load(array.type, place);
    now.lane[0] = apply(array.atomic, array.type.elem, now.lane[0], operand.lane[0]);
    return store(now, place);
  }
  default:
    throw std::logic_error("not a simple statement");
  }
}

void Interpreter::estimate(Item &item, Frame &frame, const Stmt &s) {
  const Array &array = program_.arrays[s.ref];
  const uint32_t at = element_number(item, s.ref, true, index(item, frame, *s.expr[0]));
  std::vector<Value> leaves;
  for (size_t i = 1; i < s.expr.size(); ++i)
    leaves.push_back(evaluate_expr(item, frame, *s.expr[i]));
  const Bounded bounded = evaluate(s.estimate, array.type, program_.fast, leaves);
  store(bounded.value, &memory_[s.ref][at * size_of(array.type)]);
  std::ranges::copy(bounded.errors, &errors_[s.ref][at * array.type.lanes]);
}

uint64_t Interpreter::query(const Item &item, Query q, uint32_t d) const {
  const Launch &launch = program_.launch;
  const bool inside = d < 3;
  const auto number = [&](Query which, uint32_t dim) -> uint64_t {
    switch (which) {
    case Query::global_id:
      return launch.offset[dim] + group_.id[dim] * launch.local[dim] + item.local[dim];
    case Query::local_id:
      return item.local[dim];
    case Query::group_id:
      return group_.id[dim];
    case Query::local_size:
      return group_.size[dim];
    case Query::global_size:
      return launch.global[dim];
    case Query::num_groups:
      return launch.groups()[dim];
    case Query::global_offset:
      return launch.offset[dim];
    case Query::enqueued_local_size:
      return launch.local[dim];
    default:
      return 0;
    }
  };
  switch (q) {
  case Query::work_dim:
    return launch.dimensions;
  case Query::global_linear: {
    uint64_t linear = 0;
    for (int dim = 2; dim >= 0; --dim)
      linear = linear * launch.global[dim] + number(Query::global_id, dim) - launch.offset[dim];
    return linear;
  }
  case Query::local_linear:
    return item.number;
  case Query::group_linear:
    return group_.linear;
  case Query::local_count:
    return group_.count;
  default:
    break;
  }
  if (inside)
    return number(q, d);
  const bool size = q == Query::local_size || q == Query::global_size || q == Query::num_groups ||
                    q == Query::enqueued_local_size;
  return size ? 1 : 0;
}

// Reports a race: two items access one element without a barrier in between, at least one of them
// writes, and not both accesses are atomic.
void Interpreter::check(const Item &item, int array, uint32_t index, Access access) {
  const uint32_t now = is_local(program_.arrays[array].space) ? local_time_ : global_time_;
  Trace &trace = traces_[array][index];
  if (trace.time != now)
    trace = {now};
  const int me = int(item.number);
  auto other = [&](int who) { return who != Trace::nobody && who != me; };
  if (other(trace.writer) || (access != Access::read && other(trace.reader)) ||
      (access != Access::atomic && other(trace.atomic)))
    throw Illegal("race on " + program_.arrays[array].name);
  int &who = access == Access::read    ? trace.reader
             : access == Access::write ? trace.writer
                                       : trace.atomic;
  who = who == Trace::nobody || who == me ? me : Trace::several;
}

uint32_t Interpreter::element_number(const Item &item, int array, bool own, uint32_t index) const {
  const Array &a = program_.arrays[array];
  const uint32_t in_group = a.slots * program_.launch.group_items();
  const uint32_t base = a.space == Space::scratch ? group_.linear * in_group : 0;
  uint32_t at;
  if (own) {
    const uint32_t slot = index % a.slots;
    const bool of_all = is_of_launch(a.space);
    const uint32_t who = of_all ? uint32_t(query(item, Query::global_linear, 0)) : item.number;
    const uint32_t items = of_all ? program_.launch.items() : group_.count;
    at = a.strided ? slot * items + who : who * a.slots + slot;
  } else if (a.space == Space::local || a.space == Space::scratch) {
    at = index % (group_.count * a.slots);
  } else {
    at = index % a.slots;
  }
  return base + at;
}

uint8_t *Interpreter::element(const Item &item, int array, bool own, uint32_t index,
                              Access access) {
  const uint32_t at = element_number(item, array, own, index);
  if (!traces_[array].empty())
    check(item, array, at, access);
  return &memory_[array][at * size_of(program_.arrays[array].type)];
}

Value Interpreter::evaluate_expr(Item &item, Frame &frame, const Expr &e) {
  Value v = value_of(item, frame, e);
  if (nan_sign_ == NanSign::any || !is_float(v.type.elem))
    return v;
  const uint64_t sign = uint64_t(1) << (bits(v.type.elem) - 1);
  for (unsigned i = 0; i < v.type.lanes; ++i)
    if (std::isnan(floating(v.type.elem, v.lane[i])))
      v.lane[i] = nan_sign_ == NanSign::minus ? v.lane[i] | sign : v.lane[i] & ~sign;
  return v;
}

Value Interpreter::value_of(Item &item, Frame &frame, const Expr &e) {
  if (e.cut)
    return splat(e.type, 1);
  auto arg = [&](int i) { return evaluate_expr(item, frame, *e.args[i]); };
  switch (e.kind) {
  case ExprKind::literal:
    return e.literal;
  case ExprKind::variable:
    return frame.variables[e.ref];
  case ExprKind::load: {
    const uint32_t at = index(item, frame, *e.args[0]);
    if (const Array &array = program_.arrays[e.ref];
        e.within && at >= (e.own ? array.slots : element_count(program_, array)))
      throw std::runtime_error("an index is beyond the extent of " + array.name);
    return load(e.type, element(item, e.ref, e.own, at, Access::read));
  }
  case ExprKind::private_load: {
    PrivateStorage &array = *frame.arrays[e.ref];
    return array[index(item, frame, *e.args[0]) % slots_of(frame, e.ref)];
  }
  case ExprKind::vector_load: {
    const Array &a = program_.arrays[e.ref];
    const uint32_t at = index(item, frame, *e.args[0]) % (a.slots / e.type.lanes) * e.type.lanes;
    return load(e.type, &memory_[e.ref][at * size_of(a.type)]);
  }
  case ExprKind::lane: {
    const Value &vector = frame.variables[e.ref];
    return {e.type, vector.lane[index(item, frame, *e.args[0]) % vector.type.lanes]};
  }
  case ExprKind::query:
    return {e.type, wrap(e.type.elem, query(item, Query(e.op),
                                            e.args.empty() ? 0 : index(item, frame, *e.args[0])))};
  case ExprKind::operation: {
    Value operands[3];
    for (size_t i = 0; i < e.args.size(); ++i)
      operands[i] = arg(int(i));
    return evaluate(Op(e.op), e.type, std::span(operands, e.args.size()));
  }
  case ExprKind::condition:
    return truth(item, frame, *e.args[0]) ? arg(1) : arg(2);
  case ExprKind::convert: {
    Value from = arg(0), to(e.type);
    for (unsigned i = 0; i < e.type.lanes; ++i) {
      uint64_t v = is_float(from.type.elem) && !is_float(e.type.elem)
                       ? clean(from.type.elem, from.lane[i])
                       : from.lane[i];
      to.lane[i] = convert(from.type.elem, e.type.elem, v);
    }
    return to;
  }
  case ExprKind::reinterpret: {
    Value from = arg(0);
    for (unsigned i = 0; i < from.type.lanes && is_float(from.type.elem); ++i)
      from.lane[i] = floating(from.type.elem, from.lane[i]) == 0 && program_.fast
                         ? 0
                         : clean(from.type.elem, from.lane[i]);
    uint8_t memory[128];
    store(from, memory);
    Value to = load(e.type, memory);
    for (unsigned i = 0; i < to.type.lanes && is_float(to.type.elem); ++i)
      to.lane[i] = clean(to.type.elem, to.lane[i]);
    return to;
  }
  case ExprKind::make: {
    Value v(e.type);
    unsigned at = 0;
    for (size_t i = 0; i < e.args.size(); ++i) {
      const Value part = arg(int(i));
      const unsigned count = e.args.size() == 1 && part.type.lanes == 1 ? e.type.lanes : 1;
      for (unsigned lane = 0; lane < part.type.lanes * count; ++lane)
        v.lane[at++] = part.lane[lane % part.type.lanes];
    }
    return v;
  }
  case ExprKind::swizzle: {
    Value from = arg(0), v(e.type);
    for (size_t i = 0; i < e.lanes.size(); ++i)
      v.lane[i] = from.lane[e.lanes[i]];
    return v;
  }
  case ExprKind::call:
    return call(item, frame, e).value;
  case ExprKind::builtin:
  case ExprKind::convert_rounded:
    return builtin(item, frame, e);
  case ExprKind::view_load:
    return view_load(item, frame, e);
  case ExprKind::place:
    return read_place(item, frame, e);
  case ExprKind::difference:
  case ExprKind::same:
    return compare_pointers(item, frame, e);
  case ExprKind::structure:
  case ExprKind::address:
  case ExprKind::pointer:
    break; // no values
  }
  throw std::logic_error("no such expression");
}

} // namespace lockstep::fuzz
