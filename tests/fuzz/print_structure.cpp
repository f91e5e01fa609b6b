// Prints structures, locations and pointers as OpenCL C.
#include "interpret.h"
#include "printer.h"

#include <algorithm>

namespace lockstep::fuzz {

namespace {

const char *qualifier(AddressSpace space) {
  static const char *const names[] = {"private ", "local ", "global ", "constant ", ""};
  return names[int(space)];
}

std::string joined(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &one : list)
    text += (text.empty() ? "" : ", ") + one;
  return text;
}

} // namespace

// ---- types and program-scope variables

std::string Printer::member(const Member &m, size_t number_of_it) const {
  std::string text = type_name(m.data) + " " + member_name(number_of_it);
  if (m.data.count)
    text += "[" + number(m.data.count) + "]";
  if (m.bit_width)
    text += " : " + number(m.bit_width);
  if (m.aligned)
    text += " __attribute__((aligned(" + number(m.aligned) + ")))";
  return text + ";";
}

std::string Printer::structure_types() const {
  std::string text;
  auto is_bit_field = [](const Member &m) { return m.bit_width > 0; };
  for (const Structure &s : program_.structures)
    if (text.empty() && std::ranges::any_of(s.members, is_bit_field))
      text = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n";
  for (size_t i = 0; i < program_.structures.size(); ++i) {
    const Structure &s = program_.structures[i];
    std::vector<std::string> attributes;
    if (s.packed)
      attributes.push_back("packed");
    if (s.aligned)
      attributes.push_back("aligned(" + number(s.aligned) + ")");
    std::string attribute;
    if (!attributes.empty())
      attribute = " __attribute__((" + joined(attributes) + "))";
    const bool in_front = (program_.seed + i) % 2; // both positions of the attribute are legal
    text += std::string("typedef ") + (s.is_union ? "union" : "struct") +
            (in_front ? attribute : "") + " {";
    for (size_t m = 0; m < s.members.size(); ++m)
      text += " " + member(s.members[m], m);
    text += " }" + (in_front ? "" : attribute) + " " + structure_name(int(i)) + ";\n";
  }
  return text;
}

// Assertions that make a compiler with another layout fail here, and not with wrong values.
std::string Printer::layout_checks() const {
  std::string text;
  for (size_t i = 0; i < program_.structures.size(); ++i) {
    const Structure &s = program_.structures[i];
    const std::string name = structure_name(int(i));
    std::string condition = "sizeof(" + name + ") == " + number(s.size);
    for (size_t m = 0; m < s.members.size(); ++m)
      if (!s.members[m].bit_width)
        condition += " && __builtin_offsetof(" + name + ", " + member_name(m) +
                     ") == " + number(s.members[m].offset);
    text += "typedef char layout_of_" + name + "[" + condition + " ? 1 : -1];\n";
  }
  return text;
}

std::string Printer::initializer(const DataType &data, const uint8_t *bytes) const {
  const size_t size = size_of(data.element(), program_.structures);
  std::vector<std::string> parts;
  if (data.count) {
    for (uint32_t i = 0; i < data.count; ++i)
      parts.push_back(initializer(data.element(), bytes + i * size));
    return "{" + joined(parts) + "}";
  }
  if (!data.is_structure())
    return literal(load(data.type, bytes));
  const Structure &s = program_.structures[data.structure];
  for (size_t m = 0; m < (s.is_union ? 1 : s.members.size()); ++m) {
    const Member &member = s.members[m];
    if (member.bit_width)
      parts.push_back(literal(
          load_bits(member.data.type, bytes + member.offset, member.bit_offset, member.bit_width)));
    else
      parts.push_back(initializer(member.data, bytes + member.offset));
  }
  return "{" + joined(parts) + "}";
}

std::string Printer::program_variable(const Array &array) const {
  const std::vector<uint8_t> memory = initial_memory(program_, array);
  const size_t size = element_size(program_, array);
  const bool changes = array.space == Space::variable;
  std::vector<std::string> parts;
  for (size_t at = 0; at < (changes ? array.bytes.size() : memory.size()); at += size)
    parts.push_back(initializer(array.data(), &memory[at]));
  const char *space = changes || array.in_global ? "global " : "constant ";
  return space + type_name(array.data()) + " " + array.name + "[" +
         number(element_count(program_, array)) + "]" +
         (parts.empty() ? "" : " = {" + joined(parts) + "}") + ";\n";
}

// ---- places

// The beginning of a location's text, up to the first member.
std::string Printer::root(const Expr &e, size_t &next, int &structure) {
  auto below = [&](uint32_t count) {
    return "[(" + expression(*e.args[next++]) + ") % " + number(count) + "u]";
  };
  switch (e.root) {
  case Root::object: {
    const Object &o = function_->objects[e.ref];
    structure = o.data.structure;
    return o.name + (o.data.count ? below(o.data.count) : "");
  }
  case Root::pointer: {
    const Pointer &p = function_->pointers[e.ref];
    structure = p.data.structure;
    std::string text = p.name + (p.slots ? below(p.slots) : "");
    if (p.extent)
      return text + below(p.extent);
    return e.members.empty() ? "(*" + text + ")" : text + "->";
  }
  case Root::element:
    structure = program_.arrays[e.ref].structure;
    return element(e.ref, e.own, expression(*e.args[next++]));
  case Root::result:
    structure = e.args[0]->structure;
    return expression(*e.args[next++]);
  }
  return "";
}

std::string Printer::place(const Expr &e) {
  size_t next = 0;
  int structure = -1;
  std::string text = root(e, next, structure);
  for (uint8_t which : e.members) {
    const Member &m = program_.structures[structure].members[which];
    text += (text.ends_with("->") ? "" : ".") + member_name(which);
    if (m.data.count)
      text += "[(" + expression(*e.args[next++]) + ") % " + number(m.data.count) + "u]";
    structure = m.data.structure;
  }
  if (e.component >= 0)
    text += swizzle({uint8_t(e.component)}, 16, 0);
  return text;
}

// The cast is for bit-fields, which are promoted to int whatever their declared type is.
std::string Printer::read_place(const Expr &e) {
  std::string text = place(e);
  if (e.pun && is_float(e.type.elem))
    return cleaned(e.type, text);
  return e.type.lanes == 1 ? "((" + name(e.type) + ")" + text + ")" : text;
}

std::string Printer::structure(const Expr &e) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < e.paths.size(); ++i) {
    std::string text;
    int structure = e.structure;
    for (const PathStep &step : e.paths[i]) {
      const Member &m = program_.structures[structure].members[step.member];
      text += "." + member_name(step.member);
      if (m.data.count)
        text += "[" + number(step.index) + "]";
      structure = m.data.structure;
    }
    parts.push_back(text + " = " + expression(*e.args[i]));
  }
  return "((" + structure_name(e.structure) + "){" + (parts.empty() ? "0" : joined(parts)) + "})";
}

// ---- pointers

std::string Printer::address(const Expr &e) {
  std::string text = "&" + place(*e.args[0]);
  if (e.op) // into the generic address space
    text = "(" + std::string(e.op > 1 ? "const " : "") + type_name({e.type, e.structure}) + " *)" +
           text;
  return text;
}

std::string Printer::compare_pointers(const Expr &e) {
  static const char *const operators[] = {" == ", " != ", " < ", " <= "};
  const std::string a = expression(*e.args[0]), b = expression(*e.args[1]);
  if (e.kind == ExprKind::difference)
    return "((" + name(e.type) + ")(" + a + " - " + b + "))";
  return "(" + a + operators[e.op] + b + ")";
}

std::string Printer::pointer_declaration(const Pointer &p) const {
  return qualifier(p.space) +
         std::string(p.read_only && p.space != AddressSpace::in_constant ? "const " : "") +
         type_name(p.data) + " *" + p.name + (p.slots ? "[" + number(p.slots) + "]" : "");
}

void Printer::structure_statement(const Stmt &s, int depth) {
  std::vector<std::string> parts;
  for (const ExprPtr &e : s.expr)
    if (&e != &s.expr[0] || s.kind == StmtKind::object || s.kind == StmtKind::pointer ||
        s.kind == StmtKind::aim)
      parts.push_back(expression(*e));
  switch (s.kind) {
  case StmtKind::object: {
    const Object &o = function_->objects[s.ref];
    const std::string head = type_name(o.data) + " " + o.name;
    if (!o.data.count)
      return line(depth, head + " = " + parts[0] + ";");
    return line(depth, head + "[" + number(o.data.count) + "] = {" + joined(parts) + "};");
  }
  case StmtKind::copy:
  case StmtKind::set:
    return line(depth, place(*s.expr[0]) + " = " + parts[0] + ";");
  case StmtKind::pointer: {
    const Pointer &p = function_->pointers[s.ref];
    return line(depth, pointer_declaration(p) + " = " +
                           (p.slots ? "{" + joined(parts) + "}" : parts[0]) + ";");
  }
  default: { // aim
    const Pointer &p = function_->pointers[s.ref];
    const std::string which = p.slots ? "[(" + parts[1] + ") % " + number(p.slots) + "u]" : "";
    return line(depth, p.name + which + " = " + parts[0] + ";");
  }
  }
}

void Printer::nest(const Stmt &s, int depth) {
  line(depth, "{");
  block(s.blocks[0], depth + 1);
  line(depth, "}");
  line(depth, "behind_" + number(uint64_t(s.ref)) + ":;");
}

} // namespace lockstep::fuzz
