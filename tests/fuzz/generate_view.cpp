// Generates memory accesses other than to one element of an array: vloadn and vstoren at any
// element, halves, atomics whose results are used, second results through pointers, and copies by
// the group.
//
// An atomic's result depends on the order of the work-items. So such a result is used only where a
// single work-item accesses the element, or where the final state does not depend on the order. An
// item's own elements are changed by all operations. Numbers drawn from a counter are all
// different, so their combination over all items is known.
#include "generator.h"

#include "conversions.h"

#include <tuple>

namespace lockstep::fuzz {

namespace {

// Whether items have adjacent elements of their own, or the whole array is accessible.
bool is_whole(Space s) {
  return s == Space::input || s == Space::table;
}

} // namespace

// The minimum number of elements that a view of the array can reach.
uint32_t Generator::reach(const View &view) const {
  if (view.is_private) {
    const PrivateArray &a = function_.private_arrays[view.array];
    return a.slots * a.type.lanes;
  }
  const Array &a = program_.arrays[view.array];
  return a.slots * a.type.lanes;
}

// Vectors of `step` elements must begin at a multiple of `step`.
bool Generator::can_align(const View &view, uint32_t step) const {
  if (view.is_private)
    return function_.private_arrays[view.array].type.lanes % step == 0;
  const Array &a = program_.arrays[view.array];
  const bool buffer = a.space == Space::input || a.space == Space::output;
  return buffer ? !view.own || reach(view) % step == 0 : a.type.lanes % step == 0;
}

std::vector<View> Generator::views(Elem elem, bool half, bool store, Use use) const {
  std::vector<View> found;
  auto fits = [&](Type t) { return t.lanes != 3 && (half ? bits(t.elem) == 16 : t.elem == elem); };
  for (size_t i = 0; i < program_.arrays.size(); ++i) {
    const Array &a = program_.arrays[i];
    const bool divided = a.space == Space::local || a.space == Space::scratch;
    const bool mine = a.space == Space::output || (divided && phases_[i] == Phase::own);
    if (!fits(a.type) || (!is_whole(a.space) && !divided && a.space != Space::output) ||
        (mine && a.strided) || (store && !mine) ||
        !(store ? in_kernel_ || function_.group : may_read(a, i, use)))
      continue;
    View view;
    view.array = int(i);
    view.own = mine || (divided && !use.uniform && !a.strided && random_.chance(20));
    found.push_back(view);
  }
  for (size_t i = 0; !use.uniform && i < function_.private_arrays.size(); ++i)
    if (function_.private_arrays[i].visible && fits(function_.private_arrays[i].type)) {
      View view;
      view.is_private = true;
      view.array = int(i);
      found.push_back(view);
    }
  return found;
}

// One of the views for vectors with this number of lanes, if any.
std::optional<View> Generator::some_view(std::vector<View> candidates, uint8_t lanes, bool half) {
  while (!candidates.empty()) {
    const size_t at = random_.below(uint32_t(candidates.size()));
    View view = candidates[at];
    candidates.erase(candidates.begin() + long(at));
    view.half = half;
    view.aligned = half && lanes > 1 && random_.chance(60);
    if (view.aligned && !can_align(view, view.step(lanes)))
      view.aligned = false;
    const uint32_t step = view.step(lanes);
    if (reach(view) < step)
      continue;
    view.offset = random_.below(std::min(reach(view) - step, 2 * step) + 1);
    if (view.aligned)
      view.offset -= view.offset % step;
    const bool constant = !view.is_private && program_.arrays[view.array].space == Space::table;
    view.generic = program_.opencl_3 && !constant && random_.chance(25);
    return view;
  }
  return std::nullopt;
}

ExprPtr Generator::view_load(Type type, Use use) {
  const bool half = type.elem == Elem::f32 && random_.chance(60) && !program_.fast;
  if ((type.lanes == 1 && !half) || (rows_ && use.uniform))
    return nullptr;
  std::optional<View> view = some_view(views(type.elem, half, false, use), type.lanes, half);
  if (!view)
    return nullptr;
  auto e = make_expr(ExprKind::view_load, type);
  e->view = *view;
  e->args.push_back(use.depth > 0 ? index(use.deeper())
                                  : leaf(type_uint, {0, use.uniform, use.shared}));
  return e;
}

void Generator::view_store(Block &out, const Flow &flow) {
  Type type = any_type();
  const bool half = random_.chance(half_ ? 60 : 20) && !program_.fast; // a half has a sign
  if (half && random_.chance(60))
    type.lanes = random_.pick(std::vector<uint8_t>{1, 2, 2, 3, 4, 4, 8, 16});
  if (half)
    type.elem = program_.uses_double && random_.chance(40) ? Elem::f64 : Elem::f32;
  else if (type.lanes == 1)
    type.lanes = random_.chance(50) ? 2 : 3;
  std::optional<View> view =
      some_view(views(type.elem, half, true, use(flow, false)), type.lanes, half);
  if (!view)
    return store(out, flow);
  auto s = make_stmt(StmtKind::view_store);
  s->view = *view;
  s->style = int(random_.below(5));
  s->expr.push_back(index(use(flow, false)));
  ExprPtr number = value(type, use(flow, false));
  if (half && random_.chance(50)) { // small halves, and denormal ones
    auto scale = make_literal(type, 1);
    for (unsigned i = 0; i < type.lanes; ++i)
      scale->literal.lane[i] = from_floating(type.elem, 1.0 / double(1u << random_.between(8, 30)));
    number = make_operation(Op::multiply, std::move(number), std::move(scale));
  }
  s->expr.push_back(std::move(number));
  out.push_back(std::move(s));
}

// ---- atomics

Ordering Generator::ordering(bool loads, bool stores) {
  Ordering o;
  if (!can_.all_orders || random_.chance(20))
    return o;
  if (random_.chance(25))
    return {Order::seq_cst, Order::seq_cst, Scope::unsaid};
  std::vector<Order> orders = {Order::relaxed, Order::seq_cst};
  if (loads)
    orders.push_back(Order::acquire);
  if (stores)
    orders.push_back(Order::release);
  if (loads && stores)
    orders.push_back(Order::acq_rel);
  o.order = random_.pick(orders);
  if (o.order == Order::acquire || o.order == Order::acq_rel)
    o.failure = random_.chance(50) ? Order::acquire : Order::relaxed;
  if (o.order == Order::seq_cst)
    o.failure = random_.chance(50) ? Order::seq_cst : Order::acquire;
  o.scope = random_.pick(std::vector<Scope>{Scope::unsaid, Scope::device, Scope::all_devices});
  return o;
}

// An atomic on an element that only this item uses.
void Generator::exchange(Block &out, const Flow &flow) {
  std::vector<int> candidates;
  for (size_t i = 0; i < program_.arrays.size() && (in_kernel_ || function_.group); ++i) {
    const Array &a = program_.arrays[i];
    const bool slots = a.space == Space::local || a.space == Space::scratch;
    if ((a.space == Space::output || (slots && phases_[i] == Phase::own)) && a.type.lanes == 1 &&
        (bits(a.type.elem) == 32 || (bits(a.type.elem) == 64 && !is_float(a.type.elem))))
      candidates.push_back(int(i));
  }
  if (candidates.empty())
    return atomic(out, flow);
  auto s = make_stmt(StmtKind::exchange);
  s->view.array = random_.pick(candidates);
  s->view.own = true;
  const Type type = program_.arrays[s->view.array].type;
  const bool c11 = program_.c11_atomics;
  s->style = int(random_.below(c11 ? exchange_count : int(Exchange::load)));
  if (Exchange(s->style) >= Exchange::set_flag)
    program_.item_flags = true;
  if (is_float(type.elem))
    s->style = int(c11 ? Exchange(random_.pick(std::vector<int>{
                             int(Exchange::swap), int(Exchange::load), int(Exchange::store)}))
                       : Exchange::swap);
  const Exchange kind = Exchange(s->style);
  s->ordering =
      ordering(kind != Exchange::store && kind != Exchange::clear_flag, kind != Exchange::load);
  if (s->ordering.scope == Scope::device && can_.all_orders && random_.chance(40))
    s->ordering.scope =
        program_.sub_group_size && random_.chance(50) ? Scope::sub_group : Scope::work_group;
  s->view.generic = c11 && random_.chance(25);
  // The index, which the expected value of a comparison also uses: both must be the same.
  const int at = declare_as(out, type_uint, false, true, index(use(flow, false)));
  s->expr.push_back(read(at));
  s->expr.push_back(value(type, use(flow, false)));
  s->expr.push_back(random_.chance(50) || is_float(type.elem)
                        ? make_load(s->view.array, type, true, read(at))
                        : expression(type, use(flow, false)));
  s->ref = declare_as(out, type, false, false, make_literal(type, 0));
  out.push_back(std::move(s));
}

int Generator::some_counter() {
  std::vector<int> counters;
  for (size_t i = 0; i < program_.arrays.size() && (in_kernel_ || function_.group); ++i)
    if (program_.arrays[i].space == Space::global_counter)
      counters.push_back(int(i));
  return counters.empty() ? -1 : random_.pick(counters);
}

// An expression of one variable or none.
ExprPtr Generator::closed(Type type, int variable) {
  const std::vector<int> seen = std::move(visible_);
  const bool free = function_.item_free;
  visible_.clear();
  if (variable >= 0)
    visible_.push_back(variable);
  function_.item_free = true;
  const size_t arrays = function_.private_arrays.size();
  ExprPtr e = expression(type, {2, true, false});
  if (function_.private_arrays.size() != arrays)
    std::abort();
  visible_ = seen;
  function_.item_free = free;
  return e;
}

void Generator::ticket(Block &out, const Flow &flow) {
  const int counter = some_counter();
  int drawn = -1;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (program_.arrays[i].space == Space::tickets)
      drawn = int(i);
  if (counter < 0 || drawn < 0 || tickets_ == program_.arrays[drawn].slots)
    return atomic(out, flow);
  auto s = make_stmt(StmtKind::ticket, new_variable(type_uint, true, true));
  s->source = drawn;
  s->style = int(tickets_++);
  s->view.array = counter;
  s->ordering = ordering(true, true);
  s->expr.push_back(closed(type_uint, s->ref));
  s->expr.push_back(closed(program_.arrays[counter].type, s->ref));
  if (program_.pipes.packets)
    s->pipe_way = pipe_way(flow);
  function_.variables[s->ref].uniform = false;
  out.push_back(std::move(s));
}

void Generator::flag(Block &out, const Flow &flow) {
  const int counter = some_counter();
  if (counter < 0 || !program_.c11_atomics)
    return ticket(out, flow);
  auto s = make_stmt(StmtKind::flag);
  s->style = int(program_.flags++);
  s->view.array = counter;
  s->ordering = ordering(true, true);
  s->expr.push_back(closed(type_uint, -1));
  s->expr.push_back(closed(program_.arrays[counter].type, -1));
  out.push_back(std::move(s));
}

// ---- functions with two results

void Generator::two_results(Block &out, const Flow &flow) {
  Type type = any_type();
  if (!is_float(type.elem))
    type.elem = Elem::f32;
  auto s = make_stmt(StmtKind::two_results);
  s->style = int(random_.below(4));
  const TwoResults kind = TwoResults(s->style);
  const bool counts = kind == TwoResults::frexp || kind == TwoResults::remquo;
  const Type second = counts ? Type{Elem::i32, type.lanes} : type;
  std::vector<View> places;
  for (size_t i = 0; kind != TwoResults::remquo && i < function_.private_arrays.size(); ++i)
    if (function_.private_arrays[i].visible && function_.private_arrays[i].type == second) {
      places.emplace_back().is_private = true;
      places.back().array = int(i);
    }
  for (size_t i = 0;
       kind != TwoResults::remquo && (in_kernel_ || function_.group) && i < program_.arrays.size();
       ++i) {
    const Array &a = program_.arrays[i];
    const bool slots = a.space == Space::local || a.space == Space::scratch;
    if (a.type == second && (a.space == Space::output || (slots && phases_[i] == Phase::own))) {
      places.emplace_back().own = true;
      places.back().array = int(i);
    }
  }
  s->expr.push_back(index(use(flow, false)));
  s->expr.push_back(value(type, use(flow, false)));
  if (kind == TwoResults::remquo)
    s->expr.push_back(value(type, use(flow, false)));
  if (places.empty() || random_.chance(50))
    s->source = declare_as(out, second, false, false, make_literal(second, 0));
  else
    s->view = random_.pick(places);
  s->ref = declare_as(out, type, false, false, make_literal(type, 0));
  out.push_back(std::move(s));
}

void Generator::fence(Block &out) {
  auto s = make_stmt(StmtKind::fence);
  s->style = int(random_.below(program_.opencl_3 && can_.all_orders ? 6 : 4));
  s->fence_local = random_.chance(50);
  s->fence_global = !s->fence_local || random_.chance(50);
  s->ordering = ordering(true, true);
  out.push_back(std::move(s));
}

// Copies the group's first slots of a local array that all items read to its part of a scratch
// array.
void Generator::copy_back(Block &out) {
  std::vector<std::pair<int, int>> candidates;
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    for (size_t j = 0; j < program_.arrays.size(); ++j)
      if (program_.arrays[i].space == Space::scratch && program_.arrays[j].space == Space::local &&
          program_.arrays[i].type == program_.arrays[j].type && program_.arrays[i].structure < 0)
        candidates.emplace_back(i, j);
  if (candidates.empty())
    return async_copy(out);
  auto s = make_stmt(StmtKind::copy_back);
  std::tie(s->ref, s->source) = random_.pick(candidates);
  if (program_.arrays[s->ref].slots >= 2 && random_.chance(50))
    s->stride = 2;
  s->style = int(random_.below(3));
  std::vector<Phase> next = phases_;
  next[s->source] = Phase::shared;
  next[s->ref] = phases_[s->ref] == Phase::own ? Phase::shared : Phase::own; // so with a fence
  barrier(out, next);
  const int to = s->ref;
  out.push_back(std::move(s));
  // A work-item that only waits for the event does not see the data copied to global memory.
  auto seen = make_stmt(StmtKind::barrier);
  seen->fence_global = true;
  out.push_back(std::move(seen));
  phases_[to] = Phase::shared;
}

void Generator::memory_statement(Block &out, const Flow &flow) {
  const bool shares = in_kernel_ || function_.group; // a function that expressions call may run
                                                     // twice where the text uses its result twice
  switch (random_.weighted({5, shares ? 4u : 0u, shares ? 3u : 0u, shares ? 1u : 0u, 2,
                            shares ? 1u : 0u, shares ? 1u : 0u})) {
  case 0:
    return view_store(out, flow);
  case 1:
    return exchange(out, flow);
  case 2:
    return ticket(out, flow);
  case 3:
    return flag(out, flow);
  case 4:
    return two_results(out, flow);
  case 5:
    return fence(out);
  default:
    return text(out, flow);
  }
}

// ---- printf

void Generator::text(Block &out, const Flow &flow) {
  static const std::vector<std::string> of_integers = {"d", "i", "u", "x", "X", "o"},
                                        of_floats = {"f", "e", "g", "a", "F", "E", "G", "A"};
  static const std::vector<std::string> flags = {"", "", "", "-", "+", " ", "0", "#", "-+"},
                                        widths = {"", "", "1", "6", "12"},
                                        precisions = {"", "", ".0", ".2", ".5"};
  auto s = make_stmt(StmtKind::text);
  s->source = int(random_.below(std::min(program_.launch.items(), 40u)));
  for (uint32_t i = random_.between(1, 3); i > 0; --i) {
    Type type = any_type();
    if (type.elem == Elem::f16 ||
        (type.elem == Elem::f32 && type.lanes == 1 && !program_.uses_double))
      type.elem = Elem::i32; // printf promotes such an argument to double
    if (program_.fast)
      type.elem = to_signed(type.elem);
    const bool floating = is_float(type.elem);
    std::string conversion = random_.pick(floating ? of_floats : of_integers);
    std::string flag = random_.pick(flags);
    if (!floating && flag == "#" &&
        (conversion[0] == 'd' || conversion[0] == 'i' || conversion[0] == 'u'))
      flag.clear();
    const bool sign_means_nothing = !floating && conversion[0] != 'd' && conversion[0] != 'i' &&
                                    (flag == "+" || flag == " " || flag == "-+");
    if (sign_means_nothing)
      flag = "-";
    std::string precision = random_.pick(precisions);
    if (!floating && flag == "0")
      precision.clear(); // the combination of both has no defined meaning
    s->formats.push_back(flag + random_.pick(widths) + precision + "|" + conversion);
    s->expr.push_back(value(type, use(flow, false)));
  }
  program_.prints = true;
  out.push_back(std::move(s));
}

} // namespace lockstep::fuzz
