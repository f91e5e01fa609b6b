#include "interpreter.h"

#include <algorithm>
#include <cstring>

namespace lockstep::fuzz {

std::vector<uint8_t> initial_memory(const Program &program, const Array &array) {
  const size_t step = element_size(program, array);
  std::vector<uint8_t> memory(element_count(program, array) * step,
                              array.space == Space::variable ? 0 : 0xa5);
  std::copy(array.bytes.begin(), array.bytes.end(), memory.begin());
  for (size_t i = 0; i * array.type.lanes < array.initial.size(); ++i) {
    Value v(array.type);
    for (unsigned lane = 0; lane < array.type.lanes; ++lane)
      v.lane[lane] = array.initial[i * array.type.lanes + lane];
    store(v, &memory[i * step]);
  }
  return memory;
}

void sort_packets(std::vector<uint8_t> &memory, size_t count) {
  std::vector<uint32_t> numbers(count);
  std::memcpy(numbers.data(), memory.data(), 4 * count);
  std::ranges::sort(numbers);
  std::memcpy(memory.data(), numbers.data(), 4 * count);
}

Interpreter::Interpreter(const Program &program, NanSign nan_sign)
    : program_(program), nan_sign_(nan_sign) {
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
    errors_.emplace_back(
        array.space == Space::estimate ? element_count(program, array) * array.type.lanes : 0);
    traces_.emplace_back(has_phase(array.space) ? element_count(program, array) : 0);
  }
}

std::vector<std::vector<uint8_t>> Interpreter::run() {
  auto groups = program_.launch.groups();
  for (uint32_t z = 0; z < groups[2]; ++z)
    for (uint32_t y = 0; y < groups[1]; ++y)
      for (uint32_t x = 0; x < groups[0]; ++x)
        run_group({x, y, z});
  for (size_t i = 0; i < memory_.size(); ++i)
    if (program_.arrays[i].space == Space::packets)
      sort_packets(memory_[i], packets_written_);
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
  for (const Object &o : f.objects)
    frame->objects.emplace_back(size_of(o.data, program_.structures));
  for (const Pointer &p : f.pointers)
    frame->pointers.emplace_back(std::max(1u, p.slots));
  return frame;
}

void Interpreter::start(Item &item) {
  auto frame = frame_for(int(program_.functions.size()) - 1);
  for (size_t i = 0; i < program_.arguments.size(); ++i)
    frame->variables[program_.kernel().parameters[i]] = program_.arguments[i];
  for (size_t i = 0; i < program_.objects.size(); ++i)
    frame->objects[program_.kernel().object_parameters[i]] = program_.objects[i];
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

// The position of an item in the execution of the program, ordered by execution. Each enclosing
// loop contributes its beginning and its iteration.
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

// In each sub-group, releases the items with the earliest position: no other item can still reach
// them. They compute together. Returns false if no item waits for others of its sub-group.
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

// Called when all items have reached a group operation or their end.
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
  if (at->kind == StmtKind::copy_back)
    copy_back(*at);
  if (at->kind == StmtKind::together) {
    std::vector<Item *> all;
    for (Item &item : items)
      all.push_back(&item);
    compute_together(all);
  }
  // The wait makes the copied elements visible like a barrier.
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
  const size_t size = element_size(program_, to);
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
      if (step.target < frame.place) { // next iteration; the inner loops start at 0 again
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
      Result result;
      if (step.expr && step.expr->is_structure())
        result.bytes = evaluate_structure(item, frame, *step.expr);
      else if (step.expr)
        result.value = evaluate_expr(item, frame, *step.expr);
      if (item.frames.size() == 1)
        item.done = true;
      else
        give_back(item, result);
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
  frame->result_object = s.object;
  pass_arguments(item, caller, s.expr, *frame);
  for (size_t i = 0; i < f.private_arrays.size(); ++i)
    if (f.private_arrays[i].parameter)
      frame->arrays[i] = caller.arrays[s.private_array];
  item.frames.push_back(std::move(frame));
}

void Interpreter::pass_arguments(Item &item, Frame &caller, const std::vector<ExprPtr> &arguments,
                                 Frame &called) {
  const Function &f = program_.functions[called.function];
  size_t next = 0;
  for (int parameter : f.parameters)
    called.variables[parameter] = evaluate_expr(item, caller, *arguments[next++]);
  for (int parameter : f.object_parameters)
    called.objects[parameter] = evaluate_structure(item, caller, *arguments[next++]);
  for (int parameter : f.pointer_parameters)
    called.pointers[parameter] = {evaluate_pointer(item, caller, *arguments[next++])};
}

void Interpreter::give_back(Item &item, const Result &result) {
  const int variable = item.frames.back()->result_variable,
            object = item.frames.back()->result_object;
  item.frames.pop_back();
  if (variable >= 0)
    item.frames.back()->variables[variable] = result.value;
  if (object >= 0)
    item.frames.back()->objects[object].assign(result.bytes.begin(), result.bytes.end());
}

// Runs a function without group operations, called in an expression, to its end at once.
Result Interpreter::call(Item &item, Frame &frame, const Expr &e) {
  Item inner;
  inner.number = item.number;
  std::memcpy(inner.local, item.local, sizeof item.local);
  auto bottom = std::make_unique<Frame>(); // receives the result
  bottom->function = e.ref;
  bottom->variables.emplace_back(e.type);
  bottom->objects.emplace_back();
  auto called = frame_for(e.ref);
  (e.is_structure() ? called->result_object : called->result_variable) = 0;
  pass_arguments(item, frame, e.args, *called);
  inner.frames.push_back(std::move(bottom));
  inner.frames.push_back(std::move(called));
  // When the function returns, the bottom frame is at its end: one step after the last step of the
  // code it returns at once.
  inner.frames[0]->place = int(code_[e.ref].size()) - 1;
  run_item(inner);
  return {inner.frames[0]->variables[0], std::move(inner.frames[0]->objects[0])};
}

Outcome interpret(const Program &program, NanSign nan_sign) {
  Outcome outcome;
  try {
    Interpreter interpreter(program, nan_sign);
    outcome.memory = interpreter.run();
    outcome.lines = interpreter.lines();
    outcome.errors = interpreter.errors();
  } catch (const Illegal &reason) {
    outcome.illegal = reason.what();
  }
  return outcome;
}

} // namespace lockstep::fuzz
