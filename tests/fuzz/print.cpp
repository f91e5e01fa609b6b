// A program as OpenCL C. Every operation that could overflow or be undefined is written in a form
// that is defined and means what operations.cpp computes.
#include "program.h"

#include <cinttypes>
#include <cstdio>
#include <set>

namespace lockstep::fuzz {

std::array<uint32_t, 3> Launch::groups() const {
  std::array<uint32_t, 3> count{};
  for (int d = 0; d < 3; ++d)
    count[d] = (global[d] + local[d] - 1) / local[d];
  return count;
}

uint32_t element_count(const Program &program, const Array &array) {
  switch (array.space) {
  case Space::output:
    return array.slots * program.launch.items();
  case Space::local:
    return array.slots * program.launch.group_items();
  case Space::scratch:
    return array.slots * program.launch.group_items() * program.launch.group_count();
  default:
    return array.slots;
  }
}

namespace {

std::string number(uint64_t v) {
  return std::to_string(v);
}

std::string literal_lane(Elem e, uint64_t v) {
  char text[64];
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

std::string literal(const Value &v) {
  if (v.type.lanes == 1)
    return literal_lane(v.type.elem, v.lane[0]);
  std::string text = "(" + name(v.type) + ")(";
  for (unsigned i = 0; i < v.type.lanes; ++i)
    text += (i ? ", " : "") + literal_lane(v.type.elem, v.lane[i]);
  return "(" + text + "))";
}

std::string swizzle(const std::vector<uint8_t> &lanes) {
  std::string text = ".s";
  for (uint8_t lane : lanes)
    text += "0123456789abcdef"[lane];
  return text;
}

class Printer {
public:
  explicit Printer(const Program &program) : program_(program) {}
  std::string text();

private:
  std::string expression(const Expr &e);
  std::string operation(const Expr &e);
  std::string infix(Op op, Type type, const std::string &a, const std::string &b);
  std::string conversion(const Expr &e);
  std::string cleaned(Type type, const std::string &x);
  std::string query(const Expr &e);
  std::string element(int array, bool own, const std::string &index);
  std::string private_element(int array, const std::string &index);
  std::string call(int function, const std::vector<ExprPtr> &arguments, int private_array);
  std::string atomic(const Stmt &s);
  std::string init(const Array &array, const std::string &place, const std::string &value);

  void block(const Block &block, int depth);
  void statement(const Stmt &s, int depth);
  void simple_statement(const Stmt &s, int depth);
  void loop(const Stmt &s, int depth);
  void choice(const Stmt &s, int depth);
  void async_copy(const Stmt &s, int depth);
  void line(int depth, const std::string &text) {
    body_ += std::string(2 * depth, ' ') + text + "\n";
  }

  std::string array_parameter(const Array &array) const;
  std::string element_name(const Array &array) const;
  bool passed_to(const Array &array, const Function &f) const;
  void function(const Function &f);
  std::string prelude() const;

  const Program &program_;
  const Function *function_ = nullptr;
  std::set<std::pair<Elem, uint8_t>> cleaned_;
  std::set<const Function *> called_;
  std::string body_;
};

std::string Printer::cleaned(Type type, const std::string &x) {
  cleaned_.insert({type.elem, type.lanes});
  return "clean_" + name(type) + "(" + x + ")";
}

std::string Printer::infix(Op op, Type type, const std::string &a, const std::string &b) {
  const std::string text = std::string(" ") + info(op).text + " ";
  const bool wraps =
      op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::shift_left;
  if (op == Op::divide || op == Op::modulo) {
    std::string divisor =
        "((" + b + " & " + literal(splat(type, 63)) + ") + " + literal(splat(type, 1)) + ")";
    std::string quotient = "(" + a + text + divisor + ")";
    return type.lanes == 1 ? "((" + name(type) + ")" + quotient + ")" : quotient;
  }
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
  // Signed scalars, and narrow ones, which are promoted to int: in unsigned where the result could
  // overflow.
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
    // |x| < 1e6, so it fits an int or a long; the rest of the way is between integers.
    Type middle{to_signed(from.elem), from.lanes};
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

// The text of an array's element; `index` is any uint.
std::string Printer::element(int array, bool own, const std::string &index) {
  const Array &a = program_.arrays[array];
  const std::string slot = "(" + index + ") % " + number(a.slots) + "u";
  const std::string base =
      a.space == Space::scratch
          ? "group_linear() * " + number(a.slots * program_.launch.group_items()) + "u + "
          : "";
  if (own) {
    const bool of_all = a.space == Space::output;
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

std::string Printer::private_element(int array, const std::string &index) {
  const PrivateArray &a = function_->private_arrays[array];
  return a.name + "[(" + index + ") % " + number(a.slots) + "u]";
}

std::string Printer::expression(const Expr &e) {
  if (e.cut)
    return literal(splat(e.type, 1));
  auto arg = [&](int i) { return expression(*e.args[i]); };
  switch (e.kind) {
  case ExprKind::literal:
    return literal(e.literal);
  case ExprKind::variable:
    return function_->variables[e.ref].name;
  case ExprKind::load: {
    std::string place = element(e.ref, e.own, arg(0));
    if (program_.arrays[e.ref].space == Space::local_counter && program_.c11_atomics)
      return "atomic_load_explicit(&" + place + ", memory_order_relaxed, memory_scope_work_group)";
    return place;
  }
  case ExprKind::private_load:
    return private_element(e.ref, arg(0));
  case ExprKind::query:
    return query(e);
  case ExprKind::operation:
    return operation(e);
  case ExprKind::condition: {
    std::string text = "(" + arg(0) + " ? " + arg(1) + " : " + arg(2) + ")";
    const bool promoted = e.type.lanes == 1 && bits(e.type.elem) < 32;
    return promoted ? "((" + name(e.type) + ")" + text + ")" : text;
  }
  case ExprKind::convert:
    return conversion(e);
  case ExprKind::reinterpret: {
    const Type from = e.args[0]->type;
    std::string text =
        "as_" + name(e.type) + "(" + (is_float(from.elem) ? cleaned(from, arg(0)) : arg(0)) + ")";
    return is_float(e.type.elem) ? cleaned(e.type, text) : text;
  }
  case ExprKind::make: {
    std::string text = "((" + name(e.type) + ")(";
    for (size_t i = 0; i < e.args.size(); ++i)
      text += (i ? ", " : "") + arg(int(i));
    return text + "))";
  }
  case ExprKind::swizzle:
    return arg(0) + swizzle(e.lanes);
  case ExprKind::call:
    return call(e.ref, e.args, -1);
  }
  return "";
}

std::string Printer::call(int callee, const std::vector<ExprPtr> &arguments, int private_array) {
  const Function &f = program_.functions[callee];
  called_.insert(&f);
  std::string text;
  for (const Array &array : program_.arrays)
    if (passed_to(array, f))
      text += (text.empty() ? "" : ", ") + array.name;
  for (const ExprPtr &argument : arguments)
    text += (text.empty() ? "" : ", ") + expression(*argument);
  if (private_array >= 0)
    text += (text.empty() ? "" : ", ") + function_->private_arrays[private_array].name;
  return f.name + "(" + text + ")";
}

std::string Printer::atomic(const Stmt &s) {
  const Array &a = program_.arrays[s.ref];
  const std::string place = "&" + element(s.ref, false, expression(*s.expr[0])),
                    operand = expression(*s.expr[1]);
  if (!program_.c11_atomics)
    return std::string("atomic_") + name(a.atomic) + "(" + place + ", " + operand + ");";
  const char *scope = is_local(a.space) ? "memory_scope_work_group" : "memory_scope_device";
  return std::string("atomic_fetch_") + name(a.atomic) + "_explicit(" + place + ", " + operand +
         ", memory_order_relaxed, " + scope + ");";
}

void Printer::simple_statement(const Stmt &s, int depth) {
  auto expr = [&](int i) { return expression(*s.expr[i]); };
  switch (s.kind) {
  case StmtKind::declare: {
    const Variable &v = function_->variables[s.ref];
    return line(depth, name(v.type) + " " + v.name + " = " + expr(0) + ";");
  }
  case StmtKind::assign: {
    std::string target =
        function_->variables[s.ref].name + (s.lanes.empty() ? "" : swizzle(s.lanes));
    return line(depth, target + " = " + expr(0) + ";");
  }
  case StmtKind::store: {
    std::string place = element(s.ref, s.own, expr(0));
    if (program_.arrays[s.ref].space == Space::local_counter && program_.c11_atomics)
      return line(depth, "atomic_store_explicit(&" + place + ", " + expr(1) +
                             ", memory_order_relaxed, memory_scope_work_group);");
    return line(depth, place + " = " + expr(1) + ";");
  }
  case StmtKind::private_store:
    return line(depth, private_element(s.ref, expr(0)) + " = " + expr(1) + ";");
  case StmtKind::atomic:
    return line(depth, atomic(s));
  case StmtKind::leave:
    return line(depth, "break;");
  case StmtKind::next:
    return line(depth, "continue;");
  case StmtKind::give_back:
    return line(depth, s.expr.empty() ? "return;" : "return " + expr(0) + ";");
  case StmtKind::barrier: {
    std::string flags = s.fence_local ? "CLK_LOCAL_MEM_FENCE" : "";
    if (s.fence_global)
      flags += std::string(flags.empty() ? "" : " | ") + "CLK_GLOBAL_MEM_FENCE";
    return line(depth, "barrier(" + flags + ");");
  }
  case StmtKind::call: {
    std::string target = s.ref < 0 ? "" : function_->variables[s.ref].name + " = ";
    return line(depth, target + call(s.function, s.expr, s.private_array) + ";");
  }
  default:
    return;
  }
}

void Printer::loop(const Stmt &s, int depth) {
  const Variable &v = function_->variables[s.ref];
  auto expr = [&](int i) { return expression(*s.expr[i]); };
  if (s.kind == StmtKind::for_loop) {
    line(depth, "for (" + name(v.type) + " " + v.name + " = " + expr(0) + "; " + expr(1) + "; " +
                    v.name + " = " + expr(2) + ") {");
    block(s.blocks[0], depth + 1);
    return line(depth, "}");
  }
  const std::string condition = v.name + " < " + expr(0) + " && " + expr(1);
  line(depth, "uint " + v.name + " = 0;");
  line(depth, s.kind == StmtKind::while_loop ? "while (" + condition + ") {" : "do {");
  line(depth + 1, "++" + v.name + ";");
  block(s.blocks[0], depth + 1);
  line(depth, s.kind == StmtKind::while_loop ? "}" : "} while (" + condition + ");");
}

void Printer::choice(const Stmt &s, int depth) {
  const size_t cases = s.blocks.size();
  line(depth, "switch ((" + expression(*s.expr[0]) + ") % " + number(cases + 1) + "u) {");
  for (size_t i = 0; i < cases; ++i) {
    line(depth, i + 1 == cases ? "default: {" : "case " + number(i) + ": {");
    block(s.blocks[i], depth + 1);
    line(depth, s.falls[i] ? "}" : "} break;");
  }
  line(depth, "}");
}

void Printer::async_copy(const Stmt &s, int depth) {
  const Array &to = program_.arrays[s.ref], &from = program_.arrays[s.source];
  const uint32_t most = program_.launch.group_items() * to.slots * s.stride;
  const std::string source =
      from.name + " + (" + expression(*s.expr[0]) + ") % " + number(from.slots - most + 1) + "u";
  const std::string count = "local_count() * " + number(to.slots) + "u";
  line(depth, "{");
  if (s.stride == 1)
    line(depth + 1, "event_t event = async_work_group_copy(" + to.name + ", " + source + ", " +
                        count + ", 0);");
  else
    line(depth + 1, "event_t event = async_work_group_strided_copy(" + to.name + ", " + source +
                        ", " + count + ", " + number(s.stride) + ", 0);");
  line(depth + 1, "wait_group_events(1, &event);");
  line(depth, "}");
}

void Printer::statement(const Stmt &s, int depth) {
  if (s.cut)
    return;
  switch (s.kind) {
  case StmtKind::branch:
    line(depth, "if (" + expression(*s.expr[0]) + ") {");
    block(s.blocks[0], depth + 1);
    if (!s.blocks[1].empty()) {
      line(depth, "} else {");
      block(s.blocks[1], depth + 1);
    }
    return line(depth, "}");
  case StmtKind::for_loop:
  case StmtKind::while_loop:
  case StmtKind::do_loop:
    return loop(s, depth);
  case StmtKind::choice:
    return choice(s, depth);
  case StmtKind::async_copy:
    return async_copy(s, depth);
  default:
    return simple_statement(s, depth);
  }
}

void Printer::block(const Block &block, int depth) {
  for (const StmtPtr &s : block)
    statement(*s, depth);
}

std::string Printer::element_name(const Array &array) const {
  const bool counter = array.space == Space::local_counter || array.space == Space::global_counter;
  return counter && program_.c11_atomics ? "atomic_" + name(array.type) : name(array.type);
}

std::string Printer::array_parameter(const Array &array) const {
  const char *space = is_local(array.space)         ? "local "
                      : array.space == Space::input ? "global const "
                                                    : "global ";
  return space + element_name(array) + " *" + array.name;
}

bool Printer::passed_to(const Array &array, const Function &f) const {
  if (array.space == Space::table)
    return false;
  if (&f == &program_.kernel() && is_local(array.space))
    return array.argument;
  return f.group || &f == &program_.kernel() || (array.space == Space::input && !f.item_free);
}

void Printer::function(const Function &f) {
  function_ = &f;
  const bool is_kernel = &f == &program_.kernel();
  std::string parameters;
  auto add = [&](const std::string &text) {
    parameters += (parameters.empty() ? "" : ", ") + text;
  };
  for (const Array &array : program_.arrays)
    if (passed_to(array, f))
      add(array_parameter(array));
  for (int v : f.parameters)
    add(name(f.variables[v].type) + " " + f.variables[v].name);
  for (const PrivateArray &a : f.private_arrays)
    if (a.parameter)
      add("private " + name(a.type) + " *" + a.name);

  std::string head = is_kernel || f.as_kernel ? "kernel void" : f.result ? name(*f.result) : "void";
  if (is_kernel && program_.required_size) {
    const auto &l = program_.launch.local;
    head = "kernel __attribute__((reqd_work_group_size(" + number(l[0]) + ", " + number(l[1]) +
           ", " + number(l[2]) + "))) void";
  }
  line(0, head + " " + f.name + "(" + parameters + ") {");
  if (is_kernel)
    for (const Array &array : program_.arrays)
      if (is_local(array.space) && !array.argument)
        line(1, "local " + element_name(array) + " " + array.name + "[" +
                    number(element_count(program_, array)) + "];");
  for (const PrivateArray &a : f.private_arrays)
    if (!a.parameter)
      line(1, name(a.type) + " " + a.name + "[" + number(a.slots) + "];");
  block(f.body, 1);
  line(0, "}");
  line(0, "");
}

std::string Printer::prelude() const {
  std::string text = "#pragma OPENCL FP_CONTRACT OFF\n";
  if (program_.uses_double)
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text += R"(
uint global_linear(void) {
  size_t z = get_global_id(2) - get_global_offset(2), y = get_global_id(1) - get_global_offset(1);
  return (uint)((z * get_global_size(1) + y) * get_global_size(0) + get_global_id(0) - get_global_offset(0));
}
uint local_linear(void) {
  return (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));
}
uint group_linear(void) {
  return (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
}
uint local_count(void) { return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }

)";
  for (auto [elem, lanes] : cleaned_) {
    const std::string type = name(Type{elem, lanes}),
                      limit = elem == Elem::f32 ? "1.0e6f" : "1.0e6";
    text += type + " clean_" + type + "(" + type + " x) { return ";
    text += lanes == 1
                ? "fabs(x) < " + limit + " ? x : (" + type + ")1"
                : "select((" + type + ")(1), x, isless(fabs(x), (" + type + ")(" + limit + ")))";
    text += "; }\n";
  }
  for (const Array &array : program_.arrays) {
    if (array.space != Space::table)
      continue;
    text += "constant " + name(array.type) + " " + array.name + "[" + number(array.slots) + "] = {";
    for (uint32_t i = 0; i < array.slots; ++i) {
      Value v(array.type);
      for (unsigned lane = 0; lane < array.type.lanes; ++lane)
        v.lane[lane] = array.initial[i * array.type.lanes + lane];
      text += (i ? ", " : "") + literal(v);
    }
    text += "};\n";
  }
  return text + "\n";
}

// Functions call only those before them, so from the last to the first it is known which are needed
// at all.
std::string Printer::text() {
  called_.insert(&program_.kernel());
  std::string functions;
  for (size_t i = program_.functions.size(); i-- > 0;) {
    if (!called_.count(&program_.functions[i]))
      continue;
    body_.clear();
    function(program_.functions[i]);
    functions.insert(0, body_);
  }
  return prelude() + functions;
}

} // namespace

std::string print(const Program &program) {
  return Printer(program).text();
}

std::string describe(const Launch &launch) {
  auto triple = [&](const std::array<uint32_t, 3> &v) {
    std::string text;
    for (uint32_t d = 0; d < launch.dimensions; ++d)
      text += (d ? "x" : "") + number(v[d]);
    return text;
  };
  return "global " + triple(launch.global) + ", local " + triple(launch.local) + ", offset " +
         triple(launch.offset);
}

} // namespace lockstep::fuzz
