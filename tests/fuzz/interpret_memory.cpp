// Executes structures and pointers in memory that consists of bytes. A path to a member is resolved
// step by step with the offsets of structure.cpp.
#include "interpreter.h"

#include <algorithm>

namespace lockstep::fuzz {

// The beginning of a location. `next` becomes the number of the first unused index.
Address Interpreter::root_of(Item &item, Frame &frame, const Expr &e, size_t &next, DataType &data,
                             Bytes &temporary) {
  const Function &f = program_.functions[frame.function];
  auto below = [&](uint32_t count) { return index(item, frame, *e.args[next++]) % count; };
  auto size = [&] { return size_of(data.element(), program_.structures); };
  Address a;
  switch (e.root) {
  case Root::object:
    data = f.objects[e.ref].data;
    a.at = frame.objects[e.ref].data();
    if (data.count)
      a.at += below(data.count) * size();
    break;
  case Root::pointer: {
    const Pointer &p = f.pointers[e.ref];
    data = p.data;
    a = frame.pointers[e.ref][p.slots ? below(p.slots) : 0];
    if (!a.at) // the reducer has removed its initialization
      throw Illegal(p.name + " points nowhere");
    if (p.extent)
      a.at += below(p.extent) * size();
    break;
  }
  case Root::element:
    data = program_.arrays[e.ref].data();
    a.array = e.ref;
    a.element = element_number(item, e.ref, e.own, index(item, frame, *e.args[next++]));
    a.at = &memory_[e.ref][a.element * size()];
    break;
  case Root::result:
    data = {type_none, e.args[0]->structure};
    temporary = evaluate_structure(item, frame, *e.args[next++]);
    a.at = temporary.data();
    break;
  }
  data.count = 0;
  return a;
}

Address Interpreter::locate(Item &item, Frame &frame, const Expr &e, Bytes &temporary) {
  size_t next = 0;
  DataType data;
  Address a = root_of(item, frame, e, next, data, temporary);
  for (uint8_t number : e.members) {
    const Member &m = program_.structures[data.structure].members[number];
    data = m.data.element();
    a.at += m.offset;
    if (m.data.count)
      a.at +=
          index(item, frame, *e.args[next++]) % m.data.count * size_of(data, program_.structures);
    a.bit_offset = m.bit_offset;
    a.bit_width = m.bit_width;
  }
  if (e.component >= 0)
    a.at += unsigned(e.component) * (bits(data.type.elem) / 8);
  return a;
}

Value Interpreter::read_place(Item &item, Frame &frame, const Expr &e) {
  Bytes temporary;
  const Address a = locate(item, frame, e, temporary);
  check(item, a, Access::read);
  Value v = load_bits(e.type, a.at, a.bit_offset, a.bit_width);
  for (unsigned i = 0; e.pun && is_float(e.type.elem) && i < e.type.lanes; ++i)
    v.lane[i] = clean(e.type.elem, v.lane[i]);
  return v;
}

Bytes Interpreter::new_structure(Item &item, Frame &frame, const Expr &e) {
  Bytes bytes(program_.structures[e.structure].size);
  for (size_t i = 0; i < e.paths.size(); ++i) {
    int structure = e.structure;
    uint8_t *at = bytes.data();
    const Member *m = nullptr;
    for (const PathStep &step : e.paths[i]) {
      m = &program_.structures[structure].members[step.member];
      at += m->offset + step.index * size_of(m->data.element(), program_.structures);
      structure = m->data.structure;
    }
    store_bits(evaluate_expr(item, frame, *e.args[i]), at, m->bit_offset, m->bit_width);
  }
  return bytes;
}

Bytes Interpreter::evaluate_structure(Item &item, Frame &frame, const Expr &e) {
  const size_t size = program_.structures[e.structure].size;
  if (e.cut)
    return Bytes(size);
  switch (e.kind) {
  case ExprKind::place: {
    Bytes temporary;
    const Address a = locate(item, frame, e, temporary);
    check(item, a, Access::read);
    return {a.at, a.at + size};
  }
  case ExprKind::structure:
    return new_structure(item, frame, e);
  case ExprKind::condition:
    return evaluate_structure(item, frame, *e.args[truth(item, frame, *e.args[0]) ? 1 : 2]);
  case ExprKind::call:
    return call(item, frame, e).bytes;
  default:
    throw std::logic_error("not a structure");
  }
}

Address Interpreter::evaluate_pointer(Item &item, Frame &frame, const Expr &e) {
  switch (e.kind) {
  case ExprKind::address: {
    Bytes temporary;
    return locate(item, frame, *e.args[0], temporary);
  }
  case ExprKind::pointer: {
    const std::vector<Address> &all = frame.pointers[e.ref];
    return all[e.args.empty() ? 0 : index(item, frame, *e.args[0]) % all.size()];
  }
  case ExprKind::condition:
    return evaluate_pointer(item, frame, *e.args[truth(item, frame, *e.args[0]) ? 1 : 2]);
  default:
    throw std::logic_error("not a pointer");
  }
}

Value Interpreter::compare_pointers(Item &item, Frame &frame, const Expr &e) {
  const uint8_t *a = evaluate_pointer(item, frame, *e.args[0]).at,
                *b = evaluate_pointer(item, frame, *e.args[1]).at;
  if (e.kind == ExprKind::difference) {
    const DataType data{e.args[0]->type, e.args[0]->structure};
    return {e.type, uint64_t((a - b) / int64_t(size_of(data, program_.structures)))};
  }
  const bool results[] = {a == b, a != b, a < b, a <= b};
  return {e.type, results[e.op]};
}

void Interpreter::structure_statement(Item &item, Frame &frame, const Stmt &s) {
  switch (s.kind) {
  case StmtKind::object: {
    const DataType data = program_.functions[frame.function].objects[s.ref].data;
    const size_t step = size_of(data.element(), program_.structures);
    Bytes bytes(frame.objects[s.ref].size());
    for (size_t i = 0; i < s.expr.size(); ++i) {
      if (data.is_structure())
        std::ranges::copy(evaluate_structure(item, frame, *s.expr[i]), &bytes[i * step]);
      else
        store(evaluate_expr(item, frame, *s.expr[i]), &bytes[i * step]);
    }
    std::ranges::copy(bytes, frame.objects[s.ref].begin()); // in place: pointers refer to it
    return;
  }
  case StmtKind::copy: {
    const Bytes bytes = evaluate_structure(item, frame, *s.expr[1]);
    Bytes temporary;
    const Address a = locate(item, frame, *s.expr[0], temporary);
    check(item, a, Access::write);
    std::ranges::copy(bytes, a.at);
    return;
  }
  case StmtKind::set: {
    const Value value = evaluate_expr(item, frame, *s.expr[1]);
    Bytes temporary;
    const Address a = locate(item, frame, *s.expr[0], temporary);
    check(item, a, Access::write);
    return store_bits(value, a.at, a.bit_offset, a.bit_width);
  }
  case StmtKind::pointer:
    for (size_t i = 0; i < s.expr.size(); ++i)
      frame.pointers[s.ref][i] = evaluate_pointer(item, frame, *s.expr[i]);
    return;
  case StmtKind::aim: {
    std::vector<Address> &all = frame.pointers[s.ref];
    const size_t which = s.expr.size() > 1 ? index(item, frame, *s.expr[1]) % all.size() : 0;
    all[which] = evaluate_pointer(item, frame, *s.expr[0]);
    return;
  }
  default:
    throw std::logic_error("not a statement on memory");
  }
}

} // namespace lockstep::fuzz
