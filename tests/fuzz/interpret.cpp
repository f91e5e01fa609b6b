#include "interpret.h"

#include "linear_code.h"

#include <map>
#include <stdexcept>

namespace lockstep::fuzz {

std::vector<uint8_t> initial_memory(const Program &program, const Array &array) {
  std::vector<uint8_t> memory(element_count(program, array) * size_of(array.type), 0xa5);
  const size_t step = size_of(array.type);
  for (size_t i = 0; i * array.type.lanes < array.initial.size(); ++i) {
    Value v(array.type);
    for (unsigned lane = 0; lane < array.type.lanes; ++lane)
      v.lane[lane] = array.initial[i * array.type.lanes + lane];
    store(v, &memory[i * step]);
  }
  return memory;
}

namespace {

struct Illegal : std::runtime_error {
  using runtime_error::runtime_error;
};

using PrivateStorage = std::vector<Value>;

struct Frame {
  int function;
  int place = 0;
  std::map<int, int> rounds; // of the loop that begins at a place
  int result_variable = -1;  // of the caller
  std::vector<Value> variables;
  std::vector<PrivateStorage> own_arrays;
  std::vector<PrivateStorage *> arrays; // own ones, or the caller's for parameters
};

struct Item {
  uint32_t local[3], number; // number within the group
  std::vector<std::unique_ptr<Frame>> frames;
  const Stmt *waits_at = nullptr;
  bool done = false;
};

struct Group {
  std::array<uint32_t, 3> id, size; // size: of this group
  uint32_t linear, count;
};

// Who touched one element since the last barrier. Times are barrier counts, `nobody` and `several`
// are no items.
struct Trace {
  static constexpr int nobody = -1, several = -2;
  uint32_t time = 0;
  int writer = nobody, reader = nobody, atomic = nobody;
};

class Interpreter {
public:
  explicit Interpreter(const Program &program);
  std::vector<std::vector<uint8_t>> run();

private:
  void run_group(std::array<uint32_t, 3> id);
  void start(Item &item);
  void run_item(Item &item);
  void release(std::vector<Item> &items);
  bool release_sub_groups(std::vector<Item> &items);
  std::vector<int> moment(const Item &item) const;
  void compute_together(std::vector<Item *> &items);
  void async_copy(std::vector<Item> &items, const Stmt &s);
  void step_call(Item &item, const Stmt &s);
  void give_back(Item &item, const Value *result);
  void simple(Item &item, Frame &frame, const Stmt &s);
  void assign(Frame &frame, const Stmt &s, const Value &v);
  Value run_function(Item &item, int function, std::vector<Value> arguments);
  std::unique_ptr<Frame> frame_for(int function);

  Value evaluate_expr(Item &item, Frame &frame, const Expr &e);
  Value call(Item &item, Frame &frame, const Expr &e);
  uint64_t query(const Item &item, Query q, uint32_t dimension) const;
  uint32_t index(Item &item, Frame &frame, const Expr &e) {
    return uint32_t(evaluate_expr(item, frame, e).lane[0]);
  }
  bool truth(Item &item, Frame &frame, const Expr &e) {
    return evaluate_expr(item, frame, e).lane[0] != 0;
  }

  // As declared: a pointer may be at an array that has more.
  uint32_t slots_of(const Frame &frame, int array) const {
    return program_.functions[frame.function].private_arrays[array].slots;
  }

  enum class Access { read, write, atomic };
  uint8_t *element(const Item &item, int array, bool own, uint32_t index, Access access);
  void check(const Item &item, int array, uint32_t element, Access access);

  const Program &program_;
  std::vector<std::vector<Step>> code_;
  std::vector<std::map<int, int>> loop_ends_; // of each function: where a loop begins and ends
  std::vector<std::vector<uint8_t>> memory_;  // local arrays too: refilled for each group
  std::vector<std::vector<Trace>> traces_;
  Group group_{};
  uint32_t local_time_ = 1, global_time_ = 1;
  uint64_t steps_ = 0;
};

Interpreter::Interpreter(const Program &program) : program_(program) {
  for (const Function &f : program.functions)
    code_.push_back(linear_code(f));
  for (const std::vector<Step> &code : code_) {
    loop_ends_.emplace_back();
    for (int place = 0; place < int(code.size()); ++place)
      if (code[place].kind == StepKind::jump && code[place].target <= place)
        loop_ends_.back()[code[place].target] = place;
  }
  for (const Array &array : program.arrays) {
    memory_.push_back(initial_memory(program, array));
    traces_.emplace_back(has_phase(array.space) ? element_count(program, array) : 0);
  }
}

std::vector<std::vector<uint8_t>> Interpreter::run() {
  auto groups = program_.launch.groups();
  for (uint32_t z = 0; z < groups[2]; ++z)
    for (uint32_t y = 0; y < groups[1]; ++y)
      for (uint32_t x = 0; x < groups[0]; ++x)
        run_group({x, y, z});
  return std::move(memory_);
}

std::unique_ptr<Frame> Interpreter::frame_for(int function) {
  const Function &f = program_.functions[function];
  auto frame = std::make_unique<Frame>();
  frame->function = function;
  for (const Variable &v : f.variables)
    frame->variables.emplace_back(v.type);
  frame->own_arrays.resize(f.private_arrays.size());
  for (size_t i = 0; i < f.private_arrays.size(); ++i) {
    if (!f.private_arrays[i].parameter)
      frame->own_arrays[i].assign(f.private_arrays[i].slots, Value(f.private_arrays[i].type));
    frame->arrays.push_back(&frame->own_arrays[i]);
  }
  return frame;
}

void Interpreter::start(Item &item) {
  auto frame = frame_for(int(program_.functions.size()) - 1);
  for (size_t i = 0; i < program_.arguments.size(); ++i)
    frame->variables[program_.kernel().parameters[i]] = program_.arguments[i];
  item.frames.push_back(std::move(frame));
}

void Interpreter::run_group(std::array<uint32_t, 3> id) {
  const Launch &launch = program_.launch;
  auto groups = launch.groups();
  group_.id = id;
  group_.linear = (id[2] * groups[1] + id[1]) * groups[0] + id[0];
  for (int d = 0; d < 3; ++d)
    group_.size[d] = std::min(launch.local[d], launch.global[d] - id[d] * launch.local[d]);
  group_.count = group_.size[0] * group_.size[1] * group_.size[2];
  ++local_time_, ++global_time_;
  for (size_t a = 0; a < memory_.size(); ++a)
    if (is_local(program_.arrays[a].space))
      memory_[a] = initial_memory(program_, program_.arrays[a]);

  std::vector<Item> items(group_.count);
  for (uint32_t i = 0; i < group_.count; ++i) {
    Item &item = items[i];
    item.number = i;
    item.local[0] = i % group_.size[0];
    item.local[1] = i / group_.size[0] % group_.size[1];
    item.local[2] = i / group_.size[0] / group_.size[1];
    start(item);
  }
  do {
    do {
      for (Item &item : items)
        if (!item.waits_at)
          run_item(item);
    } while (release_sub_groups(items));
    release(items);
  } while (!items[0].done);
}

// Where an item is in the course of the program: comes before another moment if the item passes it
// on its way there. Each loop around counts with its beginning and its round.
std::vector<int> Interpreter::moment(const Item &item) const {
  const Frame &frame = *item.frames.back();
  const int at = frame.place - 1;
  std::vector<int> list;
  for (auto [begin, end] : loop_ends_[frame.function])
    if (begin <= at && at <= end) {
      auto round = frame.rounds.find(begin);
      list.push_back(begin);
      list.push_back(round == frame.rounds.end() ? 0 : round->second);
    }
  list.push_back(at);
  return list;
}

// Of each sub-group, those that are the least far compute together; nobody can come to them any
// more. False if no item waits for others of its sub-group.
bool Interpreter::release_sub_groups(std::vector<Item> &items) {
  bool any = false;
  const uint32_t width = std::max(1u, program_.sub_group_size);
  for (uint32_t first = 0; first < items.size(); first += width) {
    std::map<std::vector<int>, std::vector<Item *>> waiting;
    for (uint32_t i = first; i < std::min<size_t>(first + width, items.size()); ++i)
      if (const Stmt *at = items[i].waits_at;
          at && at->kind == StmtKind::together && !at->together.of_group)
        waiting[moment(items[i])].push_back(&items[i]);
    if (waiting.empty())
      continue;
    any = true;
    compute_together(waiting.begin()->second);
    for (Item *item : waiting.begin()->second)
      item->waits_at = nullptr;
  }
  return any;
}

void Interpreter::compute_together(std::vector<Item *> &items) {
  const Stmt &s = *items[0]->waits_at;
  const uint32_t width = s.together.of_group ? group_.count : std::max(1u, program_.sub_group_size);
  const uint32_t first = items[0]->number / width * width;
  std::vector<std::optional<Offer>> offers(std::min(width, group_.count - first));
  for (Item *item : items) {
    Frame &frame = *item->frames.back();
    Offer &offer = offers[item->number - first].emplace();
    offer.value = evaluate_expr(*item, frame, *s.expr[0]);
    if (s.expr.size() > 1)
      offer.number = index(*item, frame, *s.expr[1]);
  }
  const Type type = program_.functions[items[0]->frames.back()->function].variables[s.ref].type;
  const std::vector<Value> results = compute(s.together, type, offers, width);
  for (Item *item : items)
    item->frames.back()->variables[s.ref] = results[item->number - first];
}

// All items have come to a group operation, or to their end.
void Interpreter::release(std::vector<Item> &items) {
  const Stmt *at = items[0].waits_at;
  for (Item &item : items)
    if (item.waits_at != at || item.done != items[0].done ||
        item.frames.size() != items[0].frames.size())
      throw Illegal("not all work-items of a group reach the same barrier");
  if (!at)
    return;
  if (at->kind == StmtKind::async_copy)
    async_copy(items, *at);
  if (at->kind == StmtKind::together) {
    std::vector<Item *> all;
    for (Item &item : items)
      all.push_back(&item);
    compute_together(all);
  }
  // The wait makes the copied elements visible as a barrier does.
  local_time_ += at->fence_local || at->kind == StmtKind::async_copy;
  global_time_ += at->fence_global;
  for (Item &item : items)
    item.waits_at = nullptr;
}

void Interpreter::async_copy(std::vector<Item> &items, const Stmt &s) {
  const Array &to = program_.arrays[s.ref], &from = program_.arrays[s.source];
  const uint32_t most = program_.launch.group_items() * to.slots * s.stride;
  const uint32_t offset =
      index(items[0], *items[0].frames.back(), *s.expr[0]) % (from.slots - most + 1);
  for (Item &item : items)
    if (index(item, *item.frames.back(), *s.expr[0]) % (from.slots - most + 1) != offset)
      throw Illegal("arguments of an async copy differ");
  const size_t size = size_of(to.type);
  for (uint32_t i = 0; i < group_.count * to.slots; ++i) {
    const Trace &trace = traces_[s.ref][i];
    if (trace.time == local_time_ &&
        (trace.writer != Trace::nobody || trace.reader != Trace::nobody))
      throw Illegal("async copy into an array in use");
    std::memcpy(&memory_[s.ref][i * size],
                &memory_[s.source][(offset + size_t(i) * s.stride) * size], size);
  }
}

void Interpreter::run_item(Item &item) {
  while (!item.done) {
    if (++steps_ > 40'000'000)
      throw Illegal("takes too long");
    Frame &frame = *item.frames.back();
    const Step &step = code_[frame.function][frame.place++];
    switch (step.kind) {
    case StepKind::simple:
      simple(item, frame, *step.stmt);
      break;
    case StepKind::set:
      frame.variables[step.variable] =
          step.expr ? evaluate_expr(item, frame, *step.expr) : Value(type_uint);
      break;
    case StepKind::count:
      ++frame.variables[step.variable].lane[0];
      break;
    case StepKind::test:
      if (!truth(item, frame, *step.expr))
        frame.place = step.target;
      break;
    case StepKind::below:
      if (frame.variables[step.variable].lane[0] >= index(item, frame, *step.expr))
        frame.place = step.target;
      break;
    case StepKind::jump:
      if (step.target < frame.place) { // once more; the loops inside begin anew
        frame.rounds.erase(frame.rounds.upper_bound(step.target), frame.rounds.end());
        ++frame.rounds[step.target];
      }
      frame.place = step.target;
      break;
    case StepKind::choose:
      frame.place = step.table[index(item, frame, *step.expr) % step.table.size()];
      break;
    case StepKind::barrier:
    case StepKind::async_copy:
    case StepKind::together:
      item.waits_at = step.stmt;
      return;
    case StepKind::call:
      step_call(item, *step.stmt);
      break;
    case StepKind::give_back: {
      Value result;
      if (step.expr)
        result = evaluate_expr(item, frame, *step.expr);
      if (item.frames.size() == 1)
        item.done = true;
      else
        give_back(item, step.expr ? &result : nullptr);
      break;
    }
    }
  }
}

void Interpreter::step_call(Item &item, const Stmt &s) {
  Frame &caller = *item.frames.back();
  const Function &f = program_.functions[s.function];
  auto frame = frame_for(s.function);
  frame->result_variable = s.ref;
  for (size_t i = 0; i < s.expr.size(); ++i)
    frame->variables[f.parameters[i]] = evaluate_expr(item, caller, *s.expr[i]);
  for (size_t i = 0; i < f.private_arrays.size(); ++i)
    if (f.private_arrays[i].parameter)
      frame->arrays[i] = caller.arrays[s.private_array];
  item.frames.push_back(std::move(frame));
}

void Interpreter::give_back(Item &item, const Value *result) {
  int target = item.frames.back()->result_variable;
  item.frames.pop_back();
  if (result && target >= 0)
    item.frames.back()->variables[target] = *result;
}

// A function without group operations, called in an expression: runs to its end at once.
Value Interpreter::call(Item &item, Frame &frame, const Expr &e) {
  const Function &f = program_.functions[e.ref];
  Item inner;
  inner.number = item.number;
  std::memcpy(inner.local, item.local, sizeof item.local);
  auto bottom = std::make_unique<Frame>(); // takes the result
  bottom->function = e.ref;
  bottom->variables.emplace_back(e.type);
  auto called = frame_for(e.ref);
  called->result_variable = 0;
  for (size_t i = 0; i < e.args.size(); ++i)
    called->variables[f.parameters[i]] = evaluate_expr(item, frame, *e.args[i]);
  inner.frames.push_back(std::move(bottom));
  inner.frames.push_back(std::move(called));
  // When the function returns, the bottom frame is at its end: one step past the code's last
  // returns at once.
  inner.frames[0]->place = int(code_[e.ref].size()) - 1;
  run_item(inner);
  return inner.frames[0]->variables[0];
}

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

// Two accesses of one element by two items, one of them a write, without a barrier in between: a
// race, unless both are atomic.
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

uint8_t *Interpreter::element(const Item &item, int array, bool own, uint32_t index,
                              Access access) {
  const Array &a = program_.arrays[array];
  const uint32_t in_group = a.slots * program_.launch.group_items();
  const uint32_t base = a.space == Space::scratch ? group_.linear * in_group : 0;
  uint32_t at;
  if (own) {
    const uint32_t slot = index % a.slots;
    const bool of_all = a.space == Space::output;
    const uint32_t who = of_all ? uint32_t(query(item, Query::global_linear, 0)) : item.number;
    const uint32_t items = of_all ? program_.launch.items() : group_.count;
    at = a.strided ? slot * items + who : who * a.slots + slot;
  } else if (a.space == Space::local || a.space == Space::scratch) {
    at = index % (group_.count * a.slots);
  } else {
    at = index % a.slots;
  }
  if (!traces_[array].empty())
    check(item, array, base + at, access);
  return &memory_[array][(base + at) * size_of(a.type)];
}

Value Interpreter::evaluate_expr(Item &item, Frame &frame, const Expr &e) {
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
    if (e.within && at >= element_count(program_, program_.arrays[e.ref]))
      throw std::runtime_error("an index is beyond the extent of " + program_.arrays[e.ref].name);
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
      from.lane[i] = clean(from.type.elem, from.lane[i]);
    uint8_t memory[128];
    store(from, memory);
    Value to = load(e.type, memory);
    for (unsigned i = 0; i < to.type.lanes && is_float(to.type.elem); ++i)
      to.lane[i] = clean(to.type.elem, to.lane[i]);
    return to;
  }
  case ExprKind::make: {
    Value v(e.type);
    for (size_t i = 0; i < e.args.size(); ++i)
      v.lane[i] = arg(int(i)).lane[0];
    return v;
  }
  case ExprKind::swizzle: {
    Value from = arg(0), v(e.type);
    for (size_t i = 0; i < e.lanes.size(); ++i)
      v.lane[i] = from.lane[e.lanes[i]];
    return v;
  }
  case ExprKind::call:
    return call(item, frame, e);
  }
  throw std::logic_error("no such expression");
}

} // namespace

Outcome interpret(const Program &program) {
  Outcome outcome;
  try {
    outcome.memory = Interpreter(program).run();
  } catch (const Illegal &reason) {
    outcome.illegal = reason.what();
  }
  return outcome;
}

} // namespace lockstep::fuzz
