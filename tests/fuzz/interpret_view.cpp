// Executes what generate_view.cpp generates.
#include "interpreter.h"

#include "builtins.h"
#include "conversions.h"

#include <cmath>

namespace lockstep::fuzz {

namespace {

Value halves_to_floats(Type type, const Value &halves) {
  Value v(type);
  for (unsigned i = 0; i < type.lanes; ++i)
    v.lane[i] = clean(Elem::f32, half_to_float(uint16_t(halves.lane[i])));
  return v;
}

uint64_t exchanged(Exchange kind, Elem e, uint64_t old, uint64_t x, uint64_t expected) {
  switch (kind) {
  case Exchange::add:
    return old + x;
  case Exchange::subtract:
    return old - x;
  case Exchange::bit_and:
    return old & x;
  case Exchange::bit_or:
    return old | x;
  case Exchange::bit_xor:
    return old ^ x;
  case Exchange::min:
    return apply(AtomicOp::min, e, old, x);
  case Exchange::max:
    return apply(AtomicOp::max, e, old, x);
  case Exchange::increment:
    return old + 1;
  case Exchange::decrement:
    return old - 1;
  case Exchange::swap:
  case Exchange::store:
  case Exchange::init:
    return x;
  case Exchange::compare_and_swap:
  case Exchange::weak:
    return old == expected ? x : old;
  default:
    return old;
  }
}

// The low six bits of a / b rounded to the nearest integer; the C library's remquo returns three.
int low_quotient(double a, double b) {
  const double x = std::fabs(a), y = std::fabs(b);
  const int count = int(std::rint((std::fmod(x, 64 * y) - std::remainder(x, y)) / y));
  return (std::signbit(a) == std::signbit(b) ? count : -count) & 63;
}

std::string formatted(Type type, const std::string &format, const Value &v) {
  std::string text;
  for (unsigned i = 0; i < type.lanes; ++i) {
    char lane[512];
    const std::string of_lane = print_format(type, format, true);
    if (is_float(type.elem))
      std::snprintf(lane, sizeof lane, of_lane.c_str(), floating(type.elem, v.lane[i]));
    else if (bits(type.elem) == 64)
      std::snprintf(lane, sizeof lane, of_lane.c_str(), long(v.lane[i]));
    else
      std::snprintf(lane, sizeof lane, of_lane.c_str(), int(signed_value(type.elem, v.lane[i])));
    text += (i ? "," : "") + std::string(lane);
  }
  return text;
}

} // namespace

// The index of the first of `lanes` elements, in the whole array (or the private one).
uint32_t Interpreter::first_element(const Item &item, const Frame &frame, const View &view,
                                    uint8_t lanes, uint32_t index) const {
  const uint32_t step = view.step(lanes);
  if (view.is_private) {
    const PrivateArray &p = program_.functions[frame.function].private_arrays[view.array];
    return view.offset + index % ((p.slots * p.type.lanes - view.offset) / step) * step;
  }
  const Array &a = program_.arrays[view.array];
  const uint32_t each = a.slots * a.type.lanes;
  const bool of_group = !view.own && (a.space == Space::local || a.space == Space::scratch);
  uint32_t base =
      a.space == Space::scratch ? group_.linear * each * program_.launch.group_items() : 0;
  if (view.own)
    base += each * (a.space == Space::output ? uint32_t(query(item, Query::global_linear, 0))
                                             : item.number);
  const uint32_t count = ((of_group ? group_.count * each : each) - view.offset) / step;
  return base + view.offset + index % count * step;
}

// The bytes of an element, after a check for races.
uint8_t *Interpreter::scalar(const Item &item, const View &view, uint32_t element, Access access) {
  const Array &a = program_.arrays[view.array];
  if (!traces_[view.array].empty())
    check(item, view.array, element / a.type.lanes, access);
  return &memory_[view.array].at(size_t(element) * (bits(a.type.elem) / 8));
}

Value Interpreter::view_load(Item &item, Frame &frame, const Expr &e) {
  const View &view = e.view;
  const uint32_t first =
      first_element(item, frame, view, e.type.lanes, index(item, frame, *e.args[0]));
  Value v(view.half ? Type{Elem::u16, e.type.lanes} : e.type);
  for (uint32_t i = 0; i < e.type.lanes; ++i) {
    if (view.is_private) {
      const Value &element = (*frame.arrays[view.array])[(first + i) / lanes_of(frame, view)];
      v.lane[i] = element.lane[(first + i) % lanes_of(frame, view)];
    } else {
      v.lane[i] = load({v.type.elem, 1}, scalar(item, view, first + i, Access::read)).lane[0];
    }
  }
  return view.half ? halves_to_floats(e.type, v) : v;
}

void Interpreter::view_store(Item &item, Frame &frame, const Stmt &s) {
  const View &view = s.view;
  const Value value = evaluate_expr(item, frame, *s.expr[1]);
  const uint8_t lanes = value.type.lanes;
  const uint32_t first = first_element(item, frame, view, lanes, index(item, frame, *s.expr[0]));
  for (uint32_t i = 0; i < lanes; ++i) {
    const Value lane = view.half ? Value({Elem::u16, 1},
                                         to_half(value.type.elem, value.lane[i], Rounding(s.style)))
                                 : Value({value.type.elem, 1}, value.lane[i]);
    if (view.is_private)
      (*frame.arrays[view.array])[(first + i) / lanes_of(frame, view)]
          .lane[(first + i) % lanes_of(frame, view)] = lane.lane[0];
    else
      store(lane, scalar(item, view, first + i, Access::write));
  }
}

uint32_t Interpreter::lanes_of(const Frame &frame, const View &view) const {
  return program_.functions[frame.function].private_arrays[view.array].type.lanes;
}

void Interpreter::exchange(Item &item, Frame &frame, const Stmt &s) {
  const Type type = program_.arrays[s.view.array].type;
  const uint32_t at = index(item, frame, *s.expr[0]);
  const uint64_t x = evaluate_expr(item, frame, *s.expr[1]).lane[0];
  const uint64_t expected = evaluate_expr(item, frame, *s.expr[2]).lane[0];
  uint8_t *place = element(item, s.view.array, true, at, Access::write);
  const uint64_t old = load(type, place).lane[0];
  const Exchange kind = Exchange(s.style);
  store({type, wrap(type.elem, exchanged(kind, type.elem, old, x, expected))}, place);
  const bool tells_success =
      program_.c11_atomics && (kind == Exchange::compare_and_swap || kind == Exchange::weak);
  if (kind >= Exchange::set_flag) {
    const uint32_t me = uint32_t(query(item, Query::global_linear, 0));
    const bool was_set = kind == Exchange::set_flag && !item_flags_.insert(me).second;
    if (kind == Exchange::clear_flag)
      item_flags_.erase(me);
    frame.variables[s.ref] = {type, was_set};
    return;
  }
  const bool says_new = kind == Exchange::store || kind == Exchange::init;
  frame.variables[s.ref] = {type, says_new                           ? x
                                  : tells_success && old == expected ? wrap(type.elem, ~old)
                                                                     : old};
}

void Interpreter::ticket(Item &item, Frame &frame, const Stmt &s) {
  if (s.kind == StmtKind::flag) {
    if (!flags_set_.insert(s.style).second)
      return;
  } else if (program_.pipes.packets) {
    if (!draw_packet(frame, s))
      return;
  } else {
    uint8_t *drawn = &memory_[s.source][4 * size_t(s.style)];
    frame.variables[s.ref] = load(type_uint, drawn);
    store({type_uint, uint32_t(frame.variables[s.ref].lane[0] + 1)}, drawn);
  }
  const Array &counter = program_.arrays[s.view.array];
  const uint64_t x = evaluate_expr(item, frame, *s.expr[1]).lane[0];
  uint8_t *place =
      element(item, s.view.array, false, index(item, frame, *s.expr[0]), Access::atomic);
  const uint64_t now = load(counter.type, place).lane[0];
  store({counter.type, apply(counter.atomic, counter.type.elem, now, x)}, place);
  if (s.kind == StmtKind::ticket && program_.pipes.packets)
    write_packet(uint32_t(frame.variables[s.ref].lane[0] * 8 + s.style) ^ uint32_t(x) << 16);
}

// Returns false if the pipe is empty.
bool Interpreter::draw_packet(Frame &frame, const Stmt &s) {
  uint8_t *drawn = &memory_[s.source][4 * size_t(s.style)];
  const uint32_t first = uint32_t(load(type_uint, drawn).lane[0]),
                 taken = s.pipe_way == PipeWay::two ? 2 : 1;
  if (first + taken > program_.pipes.packets)
    return false;
  frame.variables[s.ref] = {type_uint, first / taken};
  store({type_uint, first + taken}, drawn);
  return true;
}

void Interpreter::write_packet(uint32_t number) {
  for (size_t i = 0; i < program_.arrays.size(); ++i)
    if (program_.arrays[i].space == Space::packets)
      store({type_uint, number}, &memory_[i][4 * size_t(packets_written_++)]);
}

void Interpreter::two_results(Item &item, Frame &frame, const Stmt &s) {
  const TwoResults kind = TwoResults(s.style);
  const Value x = evaluate_expr(item, frame, *s.expr[1]);
  const Value y = kind == TwoResults::remquo ? evaluate_expr(item, frame, *s.expr[2]) : x;
  const Elem e = x.type.elem;
  Value first(x.type),
      second(kind == TwoResults::frexp || kind == TwoResults::remquo ? Type{Elem::i32, x.type.lanes}
                                                                     : x.type);
  for (unsigned i = 0; i < x.type.lanes; ++i) {
    const double a = floating(e, guarded(Guard::finite, e, x.lane[i]));
    const double b = floating(e, guarded(Guard::nonzero, e, y.lane[i]));
    int count = 0;
    double whole = 0;
    switch (kind) {
    case TwoResults::frexp:
      first.lane[i] = from_floating(e, std::frexp(a, &count));
      break;
    case TwoResults::modf:
      first.lane[i] = from_floating(e, std::modf(a, &whole));
      break;
    case TwoResults::fract: {
      whole = std::floor(a);
      // Rounded to the type, then kept below 1; a zero has the sign of the operand (OpenCL C
      // 7.5.1).
      const double below_1 = e == Elem::f16   ? 0x1.ffcp-1
                             : e == Elem::f32 ? 0x1.fffffep-1
                                              : 0x1.fffffffffffffp-1;
      const double part = floating(e, from_floating(e, a - whole));
      first.lane[i] = from_floating(e, a == 0 ? a : std::min(part, below_1));
      break;
    }
    case TwoResults::remquo:
      first.lane[i] = from_floating(e, std::remainder(a, b));
      count = low_quotient(a, b);
      break;
    }
    second.lane[i] = second.type.elem == Elem::i32 ? wrap(Elem::i32, uint64_t(int64_t(count)))
                                                   : from_floating(e, whole);
  }
  auto at = [&] { return index(item, frame, *s.expr[0]); }; // not with a variable
  if (s.source >= 0)
    frame.variables[s.source] = second;
  else if (s.view.is_private)
    (*frame.arrays[s.view.array])[at() % slots_of(frame, s.view.array)] = second;
  else
    store(second, element(item, s.view.array, true, at(), Access::write));
  frame.variables[s.ref] = first;
}

void Interpreter::copy_back(const Stmt &s) {
  const Array &to = program_.arrays[s.ref], &from = program_.arrays[s.source];
  const size_t size = size_of(to.type);
  const uint32_t base = group_.linear * to.slots * program_.launch.group_items();
  const uint32_t count = group_.count * std::min(to.slots / s.stride, from.slots);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = base + i * s.stride;
    const Trace &source = traces_[s.source][i];
    Trace &target = traces_[s.ref][at];
    if ((source.time == local_time_ && source.writer != Trace::nobody) ||
        (target.time == global_time_ &&
         (target.writer != Trace::nobody || target.reader != Trace::nobody)))
      throw Illegal("async copy of arrays in use");
    target = {global_time_, Trace::several};
    std::memcpy(&memory_[s.ref][at * size], &memory_[s.source][i * size], size);
  }
}

void Interpreter::print_text(Item &item, Frame &frame, const Stmt &s) {
  if (query(item, Query::global_linear, 0) != uint64_t(s.source))
    return;
  std::string line = std::string("of item, ") + char('a' + s.source % 26) + "%:";
  for (size_t i = 0; i < s.expr.size(); ++i)
    line += " " + formatted(s.expr[i]->type, s.formats[i], evaluate_expr(item, frame, *s.expr[i]));
  lines_.push_back(line);
}

// Returns false if the statement is none of these.
bool Interpreter::memory_statement(Item &item, Frame &frame, const Stmt &s) {
  switch (s.kind) {
  case StmtKind::view_store:
    view_store(item, frame, s);
    return true;
  case StmtKind::exchange:
    exchange(item, frame, s);
    return true;
  case StmtKind::ticket:
  case StmtKind::flag:
    ticket(item, frame, s);
    return true;
  case StmtKind::two_results:
    two_results(item, frame, s);
    return true;
  case StmtKind::text:
    print_text(item, frame, s);
    return true;
  case StmtKind::fence:
    return true;
  default:
    return false;
  }
}

} // namespace lockstep::fuzz
