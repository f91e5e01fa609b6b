// Prints expressions as OpenCL C. An operation that could overflow or be undefined is printed in a
// defined form with the meaning that operations.cpp gives it.
#include "printer.h"

#include <cinttypes>
#include <cstdio>

namespace lockstep::fuzz {

std::string number(uint64_t v) {
  return std::to_string(v);
}

namespace {

std::string literal_lane(Elem e, uint64_t v) {
  char text[64];
  if (e == Elem::f16) {
    std::snprintf(text, sizeof text, "((half)%af)", floating(e, v));
    return text;
  }
  if (is_float(e)) {
    std::snprintf(text, sizeof text, e == Elem::f32 ? "%af" : "%a", floating(e, v));
    return floating(e, v) < 0 ? "(" + std::string(text) + ")" : text;
  }
  if (bits(e) < 32) {
    std::snprintf(text, sizeof text, "(%s)%" PRId64, name(e).c_str(),
                  is_signed(e) ? signed_value(e, v) : int64_t(v));
    return "(" + std::string(text) + ")";
  }
  const char *suffix = bits(e) == 64 ? "ul" : "u";
  if (!is_signed(e))
    return number(v) + suffix;
  if (signed_value(e, v) >= 0)
    return number(v) + (bits(e) == 64 ? "l" : "");
  std::snprintf(text, sizeof text, "((%s)0x%" PRIx64 "%s)", name(e).c_str(), v, suffix);
  return text;
}

} // namespace

std::string literal(const Value &v) {
  if (v.type.lanes == 1)
    return literal_lane(v.type.elem, v.lane[0]);
  std::string text = "(" + name(v.type) + ")(";
  for (unsigned i = 0; i < v.type.lanes; ++i)
    text += (i ? ", " : "") + literal_lane(v.type.elem, v.lane[i]);
  return "(" + text + "))";
}

std::string Printer::cleaned(Type type, const std::string &x) {
  cleaned_.insert({type.elem, type.lanes});
  return "clean_" + name(type) + "(" + x + ")";
}

// A divisor that is never 0.
std::string Printer::divisor(Type type, const std::string &x) {
  return "((" + x + " & " + literal(splat(type, 63)) + ") + " + literal(splat(type, 1)) + ")";
}

std::string Printer::infix(Op op, Type type, const std::string &a, const std::string &b) {
  const std::string text = std::string(" ") + info(op).text + " ";
  const bool wraps =
      op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::shift_left;
  if (op == Op::divide || op == Op::modulo) {
    std::string quotient = "(" + a + text + divisor(type, b) + ")";
    return type.lanes == 1 ? "((" + name(type) + ")" + quotient + ")" : quotient;
  }
  if ((op == Op::less || op == Op::less_equal) && said(a, 40))
    return "(" + b + (op == Op::less ? " > " : " >= ") + a + ")";
  if (is_float(type.elem) || info(op).result != ResultOf::operand)
    return "(" + a + text + b + ")";
  if (type.lanes > 1) {
    if (!is_signed(type.elem) || !wraps)
      return "(" + a + text + b + ")";
    const std::string to = "as_" + name(Type{to_unsigned(type.elem), type.lanes});
    return "as_" + name(type) + "(" + to + "(" + a + ")" + text +
           (op == Op::shift_left ? b : to + "(" + b + ")") + ")";
  }
  if (!is_signed(type.elem) && bits(type.elem) >= 32)
    return "(" + a + text + b + ")";
  // Signed scalars and narrow ones, which are promoted to int: the printed operation is unsigned
  // where the result could overflow.
  if (!wraps)
    return "((" + name(type) + ")(" + a + text + b + "))";
  const std::string to = bits(type.elem) == 64 ? "(ulong)" : "(uint)";
  return "((" + name(type) + ")(" + to + a + text + (op == Op::shift_left ? b : to + b) + "))";
}

std::string Printer::operation(const Expr &e) {
  const Op op = Op(e.op);
  const Type type = e.args[0]->type;
  std::vector<std::string> a;
  for (const ExprPtr &argument : e.args)
    a.push_back(expression(*argument));
  switch (op) {
  case Op::clean:
    return cleaned(type, a[0]);
  case Op::clamp:
    return "clamp(" + a[0] + ", min(" + a[1] + ", " + a[2] + "), max(" + a[1] + ", " + a[2] + "))";
  case Op::guarded_divide:
    return "((" + name(type) + ")(" + a[1] + " == 0 ? " + a[0] + " : " + a[0] + " / " + a[1] + "))";
  case Op::negate:
    return is_float(type.elem) ? "(-" + a[0] + ")"
                               : infix(Op::subtract, type, literal(Value(type)), a[0]);
  case Op::bit_not:
    return "((" + name(type) + ")(~" + a[0] + "))";
  case Op::logical_not:
    return "(!" + a[0] + ")";
  default:
    break;
  }
  if (info(op).infix)
    return infix(op, type, a[0], a[1]);
  std::string text = std::string(info(op).text) + "(";
  for (size_t i = 0; i < a.size(); ++i)
    text += (i ? ", " : "") + a[i];
  return text + ")";
}

std::string Printer::conversion(const Expr &e) {
  const Type from = e.args[0]->type, to = e.type;
  std::string x = expression(*e.args[0]);
  auto cast = [](Type type, const std::string &text) {
    return type.lanes == 1 ? "((" + name(type) + ")" + text + ")"
                           : "convert_" + name(type) + "(" + text + ")";
  };
  if (is_float(from.elem) && !is_float(to.elem)) {
    // x| < 1e6, so it fits an int or a long; the remaining conversion is between integers.
    Type middle{from.elem == Elem::f16 ? Elem::i32 : to_signed(from.elem), from.lanes};
    return cast(to, cast(middle, cleaned(from, x)));
  }
  return cast(to, x);
}

std::string Printer::query(const Expr &e) {
  static const char *const functions[] = {
      "get_global_id",   "get_local_id",   "get_group_id",      "get_local_size",
      "get_global_size", "get_num_groups", "get_global_offset", "get_enqueued_local_size",
      "get_work_dim",    "global_linear",  "local_linear",      "group_linear",
      "local_count"};
  std::string text =
      std::string(functions[e.op]) + "(" + (e.args.empty() ? "" : expression(*e.args[0])) + ")";
  return "((" + name(e.type) + ")" + text + ")";
}

// The text of an element of an array; `index` may be any uint.
std::string Printer::element(int array, bool own, const std::string &index) {
  const Array &a = program_.arrays[array];
  const std::string slot = "(" + index + ") % " + number(a.slots) + "u";
  const std::string base =
      a.space == Space::scratch
          ? "group_linear() * " + number(a.slots * program_.launch.group_items()) + "u + "
          : "";
  if (own) {
    const bool of_all = is_of_launch(a.space);
    const std::string item = of_all ? "global_linear()" : "local_linear()";
    const std::string items = of_all ? number(program_.launch.items()) + "u" : "local_count()";
    if (a.strided)
      return a.name + "[" + base + "(" + slot + ") * " + items + " + " + item + "]";
    return a.name + "[" + base + item + " * " + number(a.slots) + "u + " + slot + "]";
  }
  if (a.space == Space::local || a.space == Space::scratch)
    return a.name + "[" + base + "(" + index + ") % (local_count() * " + number(a.slots) + "u)]";
  return a.name + "[" + slot + "]";
}

// The same for an index that is known to be below the extent. For an index with `from_row`, the
// text begins with the first term and the item's first slot, like a pointer to a row.
std::string Printer::element_within(int array, bool own, const Expr &index) {
  const Array &a = program_.arrays[array];
  if (!own)
    return a.name + "[" + expression(index) + "]";
  const std::string row = "global_linear() * " + number(a.slots) + "u";
  if (!index.from_row || index.cut)
    return a.name + "[" + row + " + " + expression(index) + "]";
  const std::string begin = "(" + a.name + " + " + expression(*index.args[0]),
                    counter = expression(*index.args[1]);
  return a.long_index ? begin + ")[(size_t)" + row + " + " + counter + "]"
                      : begin + " + " + row + ")[" + counter + "]";
}

std::string Printer::private_element(int array, const std::string &index) {
  const PrivateArray &a = function_->private_arrays[array];
  return a.name + "[(" + index + ") % " + number(a.slots) + "u]";
}

// Accesses the lane through a pointer, so the vector must be in memory.
std::string Printer::lane_of(int variable, const std::string &index) {
  const Variable &v = function_->variables[variable];
  return "((private " + name(v.type.elem) + " *)&" + v.name + ")[(" + index + ") % " +
         number(v.type.lanes) + "u]";
}

std::string Printer::plain(const Expr &e) {
  if (e.cut)
    return e.is_structure() ? "((" + structure_name(e.structure) + "){0})"
                            : literal(splat(e.type, 1));
  auto arg = [&](int i) { return expression(*e.args[i]); };
  switch (e.kind) {
  case ExprKind::literal:
    return literal(e.literal);
  case ExprKind::variable:
    return function_->variables[e.ref].name;
  case ExprKind::load: {
    if (e.within)
      return element_within(e.ref, e.own, *e.args[0]);
    std::string place = element(e.ref, e.own, arg(0));
    if (program_.arrays[e.ref].space == Space::local_counter && program_.c11_atomics)
      return "atomic_load_explicit(&" + place + ", memory_order_relaxed, memory_scope_work_group)";
    return place;
  }
  case ExprKind::private_load:
    return private_element(e.ref, arg(0));
  case ExprKind::vector_load: {
    const Array &a = program_.arrays[e.ref];
    return "vload" + number(e.type.lanes) + "((" + arg(0) + ") % " +
           number(a.slots / e.type.lanes) + "u, " + a.name + ")";
  }
  case ExprKind::lane:
    return lane_of(e.ref, arg(0));
  case ExprKind::query:
    return query(e);
  case ExprKind::operation:
    return operation(e);
  case ExprKind::condition: {
    std::string text = "(" + arg(0) + " ? " + arg(1) + " : " + arg(2) + ")";
    const bool promoted = e.type.lanes == 1 && bits(e.type.elem) < 32 && !e.args[1]->is_pointer();
    return promoted ? "((" + name(e.type) + ")" + text + ")" : text;
  }
  case ExprKind::convert:
    return conversion(e);
  case ExprKind::reinterpret: {
    const Type from = e.args[0]->type;
    std::string text =
        "as_" + name(e.type) + "(" + (is_float(from.elem) ? bits_of(from, arg(0)) : arg(0)) + ")";
    return is_float(e.type.elem) ? cleaned(e.type, text) : text;
  }
  case ExprKind::make: {
    std::string text = "((" + name(e.type) + ")(";
    for (size_t i = 0; i < e.args.size(); ++i)
      text += (i ? ", " : "") + arg(int(i));
    return text + "))";
  }
  case ExprKind::swizzle:
    return arg(0) + swizzle(e.lanes, e.args[0]->type.lanes, e.op);
  case ExprKind::call:
    return call(e.ref, e.args, -1);
  case ExprKind::builtin:
    return builtin(e);
  case ExprKind::convert_rounded:
    return rounded_conversion(e);
  case ExprKind::view_load:
    return view_load(e);
  case ExprKind::place:
    return read_place(e);
  case ExprKind::structure:
    return structure(e);
  case ExprKind::address:
    return address(e);
  case ExprKind::pointer:
    return function_->pointers[e.ref].name +
           (e.args.empty()
                ? ""
                : "[(" + arg(0) + ") % " + number(function_->pointers[e.ref].slots) + "u]");
  case ExprKind::difference:
  case ExprKind::same:
    return compare_pointers(e);
  }
  return "";
}

std::string Printer::call(int callee, const std::vector<ExprPtr> &arguments, int private_array) {
  const Function &f = program_.functions[callee];
  called_.insert(&f);
  std::string text;
  for (const Array &array : program_.arrays)
    if (passed_to(array, f))
      text += (text.empty() ? "" : ", ") +
              (is_pipe(program_, array) ? pipe_names(program_, array) : array.name);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i == f.parameters.size() && private_array >= 0)
      text += (text.empty() ? "" : ", ") + function_->private_arrays[private_array].name;
    text += (text.empty() ? "" : ", ") + expression(*arguments[i]);
  }
  if (arguments.size() == f.parameters.size() && private_array >= 0)
    text += (text.empty() ? "" : ", ") + function_->private_arrays[private_array].name;
  return f.name + "(" + text + ")";
}

} // namespace lockstep::fuzz
