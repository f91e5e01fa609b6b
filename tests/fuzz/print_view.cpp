// Prints views of memory, atomics whose results are used, functions with two results, and printf.
#include "conversions.h"
#include "printer.h"

namespace lockstep::fuzz {

namespace {

std::string name_of(Order order) {
  static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  return std::string("memory_order_") + names[int(order)];
}

std::string name_of(Scope scope) {
  static const char *const names[] = {"", "sub_group", "work_group", "device", "all_devices"};
  return std::string("memory_scope_") + names[int(scope)];
}

// The suffix of a C11 atomic function's name, with its order and scope arguments.
std::string explicit_suffix(const Ordering &o) {
  return o.scope == Scope::unsaid && o.order == Order::seq_cst ? "" : "_explicit";
}
std::string order_arguments(const Ordering &o, bool failure = false) {
  if (explicit_suffix(o).empty())
    return ")";
  return ", " + name_of(o.order) + (failure ? ", " + name_of(o.failure) : "") +
         (o.scope == Scope::unsaid ? "" : ", " + name_of(o.scope)) + ")";
}

const char *space_name(Space space) {
  return is_local(space)         ? "local "
         : space == Space::table ? "constant "
         : space == Space::input ? "global const "
                                 : "global ";
}

} // namespace

// A pointer to element 0 of the view.
std::string Printer::view_pointer(const View &view) {
  auto cast = [&](const std::string &space, Elem elem) {
    return "(" + space + (view.half ? "half" : name(elem)) + " *)";
  };
  const std::string more = " + " + number(view.offset) + "u";
  if (view.is_private) {
    const PrivateArray &p = function_->private_arrays[view.array];
    return cast(view.generic ? "" : "private ", p.type.elem) + p.name + more;
  }
  const Array &a = program_.arrays[view.array];
  const uint32_t each = a.slots * a.type.lanes;
  std::string base;
  if (a.space == Space::scratch)
    base = " + group_linear() * " + number(each * program_.launch.group_items()) + "u";
  if (view.own)
    base += std::string(" + ") + (a.space == Space::output ? "global_linear()" : "local_linear()") +
            " * " + number(each) + "u";
  const std::string space = !view.generic             ? space_name(a.space)
                            : a.space == Space::input ? "const "
                                                      : "";
  const bool by_number = !view.generic && a.space != Space::table && said(a.name + base, 8);
  return cast(space, a.type.elem) + (by_number ? "(size_t)" : "") + a.name + base + more;
}

// "(index) % count, pointer": the last arguments of vloadn and vstoren.
std::string Printer::view_place(const View &view, uint8_t lanes, const std::string &index) {
  const Type type = view.is_private ? function_->private_arrays[view.array].type
                                    : program_.arrays[view.array].type;
  const uint32_t slots = view.is_private ? function_->private_arrays[view.array].slots
                                         : program_.arrays[view.array].slots;
  const uint32_t each = slots * type.lanes, step = view.step(lanes);
  const Space space = view.is_private ? Space::output : program_.arrays[view.array].space;
  const bool of_group = !view.own && (space == Space::local || space == Space::scratch);
  const std::string count = of_group ? "((local_count() * " + number(each) + "u - " +
                                           number(view.offset) + "u) / " + number(step) + "u)"
                                     : number((each - view.offset) / step) + "u";
  return "(" + index + ") % " + count + ", " + view_pointer(view) + ")";
}

std::string Printer::view_load(const Expr &e) {
  const View &view = e.view;
  const std::string lanes = e.type.lanes == 1 ? "" : number(e.type.lanes);
  const std::string place = view_place(view, e.type.lanes, expression(*e.args[0]));
  if (!view.half)
    return "vload" + lanes + "(" + place;
  return cleaned(e.type,
                 std::string(view.aligned ? "vloada" : "vload") + "_half" + lanes + "(" + place);
}

void Printer::view_store(const Stmt &s, int depth) {
  const View &view = s.view;
  const Type type = s.expr[1]->type;
  const std::string lanes = type.lanes == 1 ? "" : number(type.lanes);
  const std::string function = view.half ? std::string(view.aligned ? "vstorea" : "vstore") +
                                               "_half" + lanes + suffix(Rounding(s.style))
                                         : "vstore" + lanes;
  line(depth, function + "(" + expression(*s.expr[1]) + ", " +
                  view_place(view, type.lanes, expression(*s.expr[0])) + ";");
}

// An order-independent change of a counter.
std::string Printer::count(const Array &a, const std::string &place, const std::string &operand,
                           const Ordering &ordering) {
  if (!program_.c11_atomics)
    return std::string("atomic_") + name(a.atomic) + "(" + place + ", " + operand + ");";
  Ordering o = ordering;
  if (is_local(a.space) && o.scope == Scope::device && o.order == Order::relaxed)
    o.scope = Scope::work_group;
  return std::string("atomic_fetch_") + name(a.atomic) + explicit_suffix(o) + "(" + place + ", " +
         operand + order_arguments(o) + ";";
}

std::string Printer::exchange_1(const Stmt &s, const std::string &place, const std::string &x) {
  static const char *const names[] = {"add", "sub", "and", "or",   "xor",    "min",
                                      "max", "inc", "dec", "xchg", "cmpxchg"};
  const Type type = program_.arrays[s.view.array].type;
  const bool old_name = bits(type.elem) == 64 || (program_.seed % 3 == 0 && !is_float(type.elem));
  std::string text = std::string(old_name ? "atom_" : "atomic_") + names[s.style] + "(" + place;
  const Exchange kind = Exchange(s.style);
  if (kind == Exchange::compare_and_swap)
    text += ", " + expression(*s.expr[2]);
  if (kind != Exchange::increment && kind != Exchange::decrement)
    text += ", " + x;
  return text + ")";
}

// Uses C11's functions, whose failed comparisons return the current value.
void Printer::compare_exchange(const Stmt &s, const std::string &place, const std::string &x,
                               int depth) {
  const std::string type = name(program_.arrays[s.view.array].type);
  const bool weak = Exchange(s.style) == Exchange::weak;
  const std::string call = std::string("atomic_compare_exchange_") + (weak ? "weak" : "strong") +
                           explicit_suffix(s.ordering) + "(" + place + ", &seen, " + x +
                           order_arguments(s.ordering, true);
  line(depth, "{");
  line(depth + 1, "const " + type + " wanted = " + expression(*s.expr[2]) + ";");
  line(depth + 1, type + " seen = wanted;");
  line(depth + 1, "bool done;");
  if (weak)
    line(depth + 1, "do done = " + call + "; while (!done && seen == wanted);");
  else
    line(depth + 1, "done = " + call + ";");
  line(depth + 1, function_->variables[s.ref].name + " = done ? ~seen : seen;");
  line(depth, "}");
}

void Printer::exchange(const Stmt &s, int depth) {
  const Array &a = program_.arrays[s.view.array];
  const std::string element_text = element(s.view.array, true, expression(*s.expr[0]));
  const std::string x = expression(*s.expr[1]), result = function_->variables[s.ref].name + " = ";
  if (!program_.c11_atomics)
    return line(depth, result + exchange_1(s, "&" + element_text, x) + ";");
  const std::string place = std::string("(volatile ") +
                            (s.view.generic ? "" : space_name(a.space)) + "atomic_" + name(a.type) +
                            " *)&" + element_text;
  const std::string form = explicit_suffix(s.ordering), orders = order_arguments(s.ordering);
  static const char *const fetches[] = {"add", "sub", "and", "or", "xor",
                                        "min", "max", "add", "sub"};
  const Exchange kind = Exchange(s.style);
  switch (kind) {
  case Exchange::compare_and_swap:
  case Exchange::weak:
    return compare_exchange(s, place, x, depth);
  case Exchange::load:
    return line(depth, result + "atomic_load" + form + "(" + place + orders + ";");
  case Exchange::init:
    line(depth, "atomic_init(" + place + ", " + x + ");");
    return line(depth, result + element_text + ";");
  case Exchange::set_flag:
    return line(depth, result + "atomic_flag_test_and_set" + form +
                           "(&item_flags[global_linear()]" + orders + ";");
  case Exchange::clear_flag:
    line(depth, "atomic_flag_clear" + form + "(&item_flags[global_linear()]" + orders + ";");
    return line(depth, result + "0;");
  case Exchange::store:
    line(depth, "atomic_store" + form + "(" + place + ", " + x + orders + ";");
    return line(depth, result + element_text + ";");
  case Exchange::swap:
    return line(depth, result + "atomic_exchange" + form + "(" + place + ", " + x + orders + ";");
  default: {
    const bool one = kind == Exchange::increment || kind == Exchange::decrement;
    return line(depth, result + "atomic_fetch_" + fetches[s.style] + form + "(" + place + ", " +
                           (one ? literal(splat(a.type, 1)) : x) + orders + ";");
  }
  }
}

void Printer::ticket(const Stmt &s, int depth) {
  const Array &counter = program_.arrays[s.view.array];
  const std::string change =
      count(counter, "&" + element(s.view.array, false, expression(*s.expr[0])),
            expression(*s.expr[1]), s.ordering);
  if (s.kind == StmtKind::flag)
    return line(depth, "if (!atomic_flag_test_and_set" + explicit_suffix(s.ordering) + "(&flag" +
                           number(uint64_t(s.style)) + order_arguments(s.ordering) + ") " + change);
  if (program_.pipes.packets)
    return pipe_ticket(s, change, depth);
  const std::string place =
      "&" + program_.arrays[s.source].name + "[" + number(uint64_t(s.style)) + "]";
  const std::string draw = program_.c11_atomics ? "atomic_fetch_add" + explicit_suffix(s.ordering) +
                                                      "((volatile global atomic_uint *)" + place +
                                                      ", 1" + order_arguments(s.ordering)
                           : program_.seed % 2  ? "atomic_inc(" + place + ")"
                                                : "atomic_add(" + place + ", 1)";
  line(depth, "{");
  line(depth + 1, "uint " + function_->variables[s.ref].name + " = " + draw + ";");
  line(depth + 1, change);
  line(depth, "}");
}

void Printer::two_results(const Stmt &s, int depth) {
  static const char *const names[] = {"fract", "frexp", "modf", "remquo"};
  const TwoResults kind = TwoResults(s.style);
  const Type type = s.expr[1]->type;
  std::string place = s.source >= 0       ? function_->variables[s.source].name
                      : s.view.is_private ? private_element(s.view.array, expression(*s.expr[0]))
                                          : element(s.view.array, true, expression(*s.expr[0]));
  std::string arguments = cleaned(type, expression(*s.expr[1])) + ", ";
  if (kind == TwoResults::remquo)
    arguments += guarded(Guard::nonzero, type, expression(*s.expr[2])) + ", ";
  line(depth, function_->variables[s.ref].name + " = " + names[s.style] + "(" + arguments + "&" +
                  place + ");");
  if (kind == TwoResults::remquo) // further bits of the quotient are unspecified
    line(depth, place + " &= 63;");
}

void Printer::fence(const Stmt &s, int depth) {
  std::string flags = s.fence_local ? "CLK_LOCAL_MEM_FENCE" : "";
  if (s.fence_global)
    flags += std::string(flags.empty() ? "" : " | ") + "CLK_GLOBAL_MEM_FENCE";
  static const char *const names[] = {"mem_fence", "read_mem_fence", "write_mem_fence"};
  if (s.style < 3)
    return line(depth, std::string(names[s.style]) + "(" + flags + ");");
  if (s.style == 3) {
    for (const Array &a : program_.arrays)
      if (a.space == Space::input)
        return line(depth, "prefetch(" + a.name + ", 4);");
    return;
  }
  const Scope scope = s.ordering.scope == Scope::unsaid ? Scope::work_group : s.ordering.scope;
  line(depth, "atomic_work_item_fence(" + flags + ", " + name_of(s.ordering.order) + ", " +
                  name_of(scope) + ");");
}

void Printer::copy_back(const Stmt &s, int depth) {
  const Array &to = program_.arrays[s.ref], &from = program_.arrays[s.source];
  const std::string target =
      to.name + " + group_linear() * " + number(to.slots * program_.launch.group_items()) + "u";
  const std::string count =
      "local_count() * " + number(std::min(to.slots / s.stride, from.slots)) + "u";
  const std::string end = s.stride == 1 ? ", 0);" : ", " + number(s.stride) + ", 0);";
  line(depth, "{");
  line(depth + 1, std::string("event_t event = async_work_group_") +
                      (s.stride == 1 ? "copy(" : "strided_copy(") + target + ", " + from.name +
                      ", " + count + end);
  line(depth + 1, "wait_group_events(1, &event);");
  line(depth, "}");
}

std::string print_format(Type type, const std::string &format, bool of_lane) {
  const size_t bar = format.find('|');
  static const char *const lengths[] = {"hh", "h", "", "l"};
  std::string length = is_float(type.elem) ? "" : lengths[int(type.elem) / 2];
  if (type.lanes > 1 && !of_lane) {
    if (bits(type.elem) == 32)
      length = "hl";
    else if (type.elem == Elem::f64)
      length = "l";
    length = "v" + number(type.lanes) + length;
  }
  return "%" + format.substr(0, bar) + length + format.substr(bar + 1);
}

void Printer::text_statement(const Stmt &s, int depth) {
  std::string format = "of %s, %c%%:", arguments;
  for (size_t i = 0; i < s.expr.size(); ++i) {
    format += " " + print_format(s.expr[i]->type, s.formats[i], false);
    arguments += ", " + expression(*s.expr[i]);
  }
  line(depth, "if (global_linear() == " + number(uint64_t(s.source)) + "u) printf(\"" + format +
                  "\\n\", \"item\", '" + std::string(1, char('a' + s.source % 26)) + "'" +
                  arguments + ");");
}

// Returns false if the statement is none of these.
bool Printer::memory_statement(const Stmt &s, int depth) {
  switch (s.kind) {
  case StmtKind::view_store:
    view_store(s, depth);
    return true;
  case StmtKind::exchange:
    exchange(s, depth);
    return true;
  case StmtKind::ticket:
  case StmtKind::flag:
    ticket(s, depth);
    return true;
  case StmtKind::two_results:
    two_results(s, depth);
    return true;
  case StmtKind::fence:
    fence(s, depth);
    return true;
  case StmtKind::copy_back:
    copy_back(s, depth);
    return true;
  case StmtKind::text:
    text_statement(s, depth);
    return true;
  default:
    return false;
  }
}

} // namespace lockstep::fuzz
