// Prints a program as OpenCL C: statements, functions, and the declarations before them.
#include "printer.h"

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
  case Space::variable:
  case Space::estimate:
    return array.slots * program.launch.items();
  case Space::local:
    return array.slots * program.launch.group_items();
  case Space::scratch:
    return array.slots * program.launch.group_items() * program.launch.group_count();
  default:
    return array.slots;
  }
}

std::string Printer::atomic(const Stmt &s) {
  const Array &a = program_.arrays[s.ref];
  const std::string place = "&" + element(s.ref, false, expression(*s.expr[0])),
                    operand = expression(*s.expr[1]);
  if (s.by_swap) {
    swaps_.insert(s.ref);
    return "swap_" + a.name + "(" + place + ", " + operand + ");";
  }
  return count(a, place, operand, s.ordering);
}

void Printer::simple_statement(const Stmt &s, int depth) {
  if (memory_statement(s, depth))
    return;
  auto expr = [&](int i) { return expression(*s.expr[i]); };
  switch (s.kind) {
  case StmtKind::declare: {
    const Variable &v = function_->variables[s.ref];
    const std::string type = v.type == type_uint && said(v.name, 20) ? "word" : name(v.type);
    return line(depth, type + " " + v.name + " = " + expr(0) + ";");
  }
  case StmtKind::assign: {
    const Variable &v = function_->variables[s.ref];
    std::string target = v.name + (s.lanes.empty() ? "" : swizzle(s.lanes, v.type.lanes, s.style));
    const std::string compound_text = compound(target, s);
    return line(depth,
                compound_text.empty() ? target + " = " + expr(0) + ";" : compound_text + ";");
  }
  case StmtKind::store: {
    std::string place =
        s.within ? element_within(s.ref, s.own, *s.expr[0]) : element(s.ref, s.own, expr(0));
    if (program_.arrays[s.ref].space == Space::local_counter && program_.c11_atomics)
      return line(depth, "atomic_store_explicit(&" + place + ", " + expr(1) +
                             ", memory_order_relaxed, memory_scope_work_group);");
    return line(depth, place + " = " + expr(1) + ";");
  }
  case StmtKind::assign_lane:
    return line(depth, lane_of(s.ref, expr(0)) + " = " + expr(1) + ";");
  case StmtKind::point: {
    const PrivateArray &p = function_->private_arrays[s.ref];
    return line(depth, "private " + name(p.type) + " *" + p.name + " = " + expr(0) + " ? " +
                           function_->private_arrays[s.targets[0]].name + " : " +
                           function_->private_arrays[s.targets[1]].name + ";");
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
    return line(depth,
                (program_.opencl_3 && program_.seed % 2 ? "work_group_barrier(" : "barrier(") +
                    flags + ");");
  }
  case StmtKind::estimate: {
    std::vector<std::string> leaves;
    for (size_t i = 1; i < s.expr.size(); ++i)
      leaves.push_back(expr(int(i)));
    const PrintedEstimate estimate =
        lockstep::fuzz::print(s.estimate, program_.arrays[s.ref].type, leaves);
    const std::string text = element(s.ref, true, expr(0)) + " = " + estimate.expression + ";";
    return line(depth,
                estimate.declarations.empty() ? text : "{ " + estimate.declarations + text + " }");
  }
  case StmtKind::together: {
    const Variable &v = function_->variables[s.ref];
    return line(depth,
                lockstep::fuzz::print(s.together, v.type, v.name, expr(0),
                                      s.expr.size() > 1 ? expr(1) : "", program_.sub_group_size));
  }
  case StmtKind::call: {
    std::string target = s.object >= 0 ? function_->objects[s.object].name + " = "
                         : s.ref < 0   ? ""
                                       : function_->variables[s.ref].name + " = ";
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
    if (said(v.name, 12))
      line(depth, "__attribute__((opencl_unroll_hint(2)))");
    line(depth, "for (" + name(v.type) + " " + v.name + " = " + expr(0) + "; " + expr(1) + "; " +
                    step(v.name, *s.expr[2]) + ") {");
    block(s.blocks[0], depth + 1);
    return line(depth, "}");
  }
  const std::string condition = v.name + " < " + expr(0) + " && " + expr(1);
  line(depth, "uint " + v.name + " = 0;");
  if (s.kind == StmtKind::again) {
    line(depth, "again_" + v.name + ":;");
    line(depth, "{");
    line(depth + 1, "++" + v.name + ";");
    block(s.blocks[0], depth + 1);
    line(depth, "}");
    return line(depth, "if (" + condition + ") goto again_" + v.name + ";");
  }
  line(depth, s.kind == StmtKind::while_loop ? "while (" + condition + ") {" : "do {");
  line(depth + 1, "++" + v.name + ";");
  block(s.blocks[0], depth + 1);
  line(depth, s.kind == StmtKind::while_loop ? "}" : "} while (" + condition + ");");
}

void Printer::tangle(const Stmt &s, int depth) {
  const std::string counter = function_->variables[s.ref].name;
  line(depth, "uint " + counter + " = 0;");
  line(depth, "if (" + expression(*s.expr[1]) + ") goto second_" + counter + ";");
  line(depth, "first_" + counter + ":;");
  line(depth, "{");
  block(s.blocks[0], depth + 1);
  line(depth, "}");
  line(depth, "second_" + counter + ":;");
  line(depth, "{");
  block(s.blocks[1], depth + 1);
  line(depth, "}");
  line(depth, "if (++" + counter + " < " + expression(*s.expr[0]) + " && " +
                  expression(*s.expr[2]) + ") goto first_" + counter + ";");
}

std::string Printer::counts_on(const Stmt &s) {
  return s.ref < 0
             ? ""
             : "++" + function_->variables[s.ref].name + " < " + expression(*s.expr[0]) + " && ";
}

void Printer::go_to(const Stmt &s, int depth) {
  auto to = [&](size_t way) { return "goto label_" + number(uint64_t(s.labels[way])) + ";"; };
  line(depth, "if (" + counts_on(s) + condition(*s.expr[1]) + ") {");
  if (s.labels.size() == 1) {
    line(depth + 1, to(0));
  } else {
    const std::string which = "(" + expression(*s.expr[2]) + ") % " + number(s.labels.size()) + "u";
    if (s.labels.size() == 2) {
      line(depth + 1, "if (" + which + ") " + to(1) + " else " + to(0));
    } else {
      line(depth + 1, "switch (" + which + ") {");
      for (size_t way = 0; way < s.labels.size(); ++way)
        line(depth + 1, (way ? "case " + number(way) : std::string("default")) + ": " + to(way));
      line(depth + 1, "}");
    }
  }
  line(depth, "}");
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
  if (s.stride == 1 && to.slots % 2 == 0 && said(source, 50)) { // in two halves
    const std::string half = "local_count() * " + number(to.slots / 2) + "u";
    const bool chained = said(source, 51);
    line(depth + 1, "event_t events[2];");
    line(depth + 1,
         "events[0] = async_work_group_copy(" + to.name + ", " + source + ", " + half + ", 0);");
    line(depth + 1, "events[1] = async_work_group_copy(" + to.name + " + " + half + ", " + source +
                        " + " + half + ", " + half + (chained ? ", events[0]);" : ", 0);"));
    line(depth + 1,
         chained ? "wait_group_events(1, &events[1]);" : "wait_group_events(2, events);");
    return line(depth, "}");
  }
  const bool strided = s.stride != 1;
  line(depth + 1, std::string("event_t event = async_work_group_") +
                      (strided ? "strided_copy(" : "copy(") + to.name + ", " + source + ", " +
                      count + (strided ? ", " + number(s.stride) : "") + ", 0);");
  line(depth + 1, "wait_group_events(1, &event);");
  line(depth, "}");
}

void Printer::statement(const Stmt &s, int depth) {
  if (s.cut)
    return;
  switch (s.kind) {
  case StmtKind::branch:
    line(depth, "if (" + condition(*s.expr[0]) + ") {");
    block(s.blocks[0], depth + 1);
    if (!s.blocks[1].empty()) {
      line(depth, "} else {");
      block(s.blocks[1], depth + 1);
    }
    return line(depth, "}");
  case StmtKind::for_loop:
  case StmtKind::while_loop:
  case StmtKind::do_loop:
  case StmtKind::again:
    return loop(s, depth);
  case StmtKind::nest:
    return nest(s, depth);
  case StmtKind::maze:
    line(depth, "uint " + function_->variables[s.ref].name + " = 0;");
    line(depth, "{");
    block(s.blocks[0], depth + 1);
    return line(depth, "}");
  case StmtKind::label:
    line(depth, "label_" + number(uint64_t(s.ref)) + ":;");
    line(depth, "{");
    block(s.blocks[0], depth + 1);
    return line(depth, "}");
  case StmtKind::go_to:
    return go_to(s, depth);
  case StmtKind::counted_loop: {
    const std::string more = counts_on(s) + condition(*s.expr[1]);
    line(depth, s.style == 0 ? "while (" + more + ") {" : "do {");
    block(s.blocks[0], depth + 1);
    return line(depth, s.style == 0 ? "}" : "} while (" + more + ");");
  }
  case StmtKind::jump:
    return line(depth, "goto behind_" + number(uint64_t(s.ref)) + ";");
  case StmtKind::object:
  case StmtKind::copy:
  case StmtKind::set:
  case StmtKind::pointer:
  case StmtKind::aim:
    return structure_statement(s, depth);
  case StmtKind::tangle:
    return tangle(s, depth);
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
  return counter && program_.c11_atomics ? "atomic_" + name(array.type) : type_name(array.data());
}

std::string Printer::array_parameter(const Array &array) const {
  if (is_pipe(program_, array))
    return pipe_parameters(program_, array);
  const char *space = is_local(array.space)         ? "local "
                      : array.space == Space::input ? "global const "
                                                    : "global ";
  return space + element_name(array) + " *" + array.name;
}

bool Printer::passed_to(const Array &array, const Function &f) const {
  if (is_program_scope(array.space))
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
  if (is_kernel && program_.struct_argument)
    add("struct Arguments arguments");
  for (int v : f.parameters)
    if (!is_kernel || !program_.struct_argument)
      add(name(f.variables[v].type) + " " + f.variables[v].name);
  for (const PrivateArray &a : f.private_arrays)
    if (a.parameter)
      add("private " + name(a.type) + " *" + a.name);
  for (int o : f.object_parameters)
    add(type_name(f.objects[o].data) + " " + f.objects[o].name);
  for (int p : f.pointer_parameters)
    add(pointer_declaration(f.pointers[p]));

  std::string head = is_kernel || f.as_kernel  ? "kernel void"
                     : f.result                ? name(*f.result)
                     : f.result_structure >= 0 ? structure_name(f.result_structure)
                                               : "void";
  if (!is_kernel && !f.as_kernel)
    head = function_specifiers(f) + head;
  if (is_kernel && program_.required_size) {
    const auto &l = program_.launch.local;
    head = "kernel __attribute__((reqd_work_group_size(" + number(l[0]) + ", " + number(l[1]) +
           ", " + number(l[2]) + "))) void";
  }
  if (is_kernel && program_.sub_group_size)
    head.insert(7, "__attribute__((intel_reqd_sub_group_size(" + number(program_.sub_group_size) +
                       "))) ");
  line(0, head + " " + f.name + "(" + parameters + ") {");
  if (is_kernel)
    for (const Array &array : program_.arrays)
      if (is_local(array.space) && !array.argument)
        line(1, "local " + element_name(array) + " " + array.name + "[" +
                    number(element_count(program_, array)) + "];");
  if (is_kernel && program_.struct_argument)
    for (int v : f.parameters)
      line(1, name(f.variables[v].type) + " " + f.variables[v].name + " = arguments." +
                  f.variables[v].name + ";");
  for (const PrivateArray &a : f.private_arrays)
    if (!a.parameter && !a.pointer)
      line(1, name(a.type) + " " + a.name + "[" + number(a.slots) + "];");
  block(f.body, 1);
  line(0, "}");
  line(0, "");
}

// The loop that OpenCL C 1.x programs use for an operation without an atomic function of its own.
std::string Printer::swap_function(const Array &a) const {
  static const char *const formulas[] = {"(uint)old + (uint)operand",
                                         "min(old, operand)",
                                         "max(old, operand)",
                                         "old & operand",
                                         "old | operand",
                                         "old ^ operand"};
  const std::string type = name(a.type);
  return "void swap_" + a.name + "(volatile " + (is_local(a.space) ? "local " : "global ") + type +
         " *counter, " + type + " operand) {\n  " + type +
         " seen = *counter, old;\n  do {\n    old = seen;\n    seen = atomic_cmpxchg(counter, old, "
         "(" +
         type + ")(" + formulas[int(a.atomic)] + "));\n  } while (seen != old);\n}\n";
}

std::string Printer::prelude() const {
  std::string text =
      std::string("#pragma OPENCL FP_CONTRACT ") + (program_.fast ? "ON\n" : "OFF\n");
  if (program_.uses_half)
    text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  if (program_.uses_double)
    text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  text += "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
          "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";
  const bool asks = program_.opencl_3 && program_.seed % 4 == 1; // with built-in linear ids
  text += asks ? R"(
uint global_linear(void) { return (uint)get_global_linear_id(); }
uint local_linear(void) { return (uint)get_local_linear_id(); })"
               : R"(
uint global_linear(void) {
  size_t z = get_global_id(2) - get_global_offset(2), y = get_global_id(1) - get_global_offset(1);
  return (uint)((z * get_global_size(1) + y) * get_global_size(0) + get_global_id(0) - get_global_offset(0));
}
uint local_linear(void) {
  return (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));
})";
  text += R"(
typedef uint word;
enum { number_0, number_1, number_2, number_3 };
uint group_linear(void) {
  return (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
}
uint local_count(void) { return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }

)";
  for (auto [elem, lanes] : cleaned_) {
    const std::string type = name(Type{elem, lanes}),
                      limit = elem == Elem::f16   ? "65504.0f"
                              : elem == Elem::f32 ? "1.0e6f"
                                                  : "1.0e6",
                      least = elem == Elem::f16 ? "<=" : "<";
    text += type + " clean_" + type + "(" + type + " x) { return ";
    text += lanes == 1
                ? "fabs(x) " + least + " " + limit + " ? x : (" + type + ")1"
                : "select((" + type + ")(1), x, " + (elem == Elem::f16 ? "islessequal" : "isless") +
                      "(fabs(x), (" + type + ")(" + limit + ")))";
    text += "; }\n";
  }
  for (const auto &[name_of_it, helper] : helpers_)
    text += helper;
  if (program_.item_flags)
    text += "global atomic_flag item_flags[" + number(program_.launch.items()) +
            "] = {ATOMIC_FLAG_INIT};\n";
  for (uint32_t flag = 0; flag < program_.flags; ++flag)
    text += "global atomic_flag flag" + number(flag) + " = ATOMIC_FLAG_INIT;\n";
  text += structure_types() + layout_checks();
  if (program_.pipes.packets)
    text += pipe_prelude();
  for (const Array &array : program_.arrays) {
    if (is_program_scope(array.space))
      text += program_variable(array);
  }
  for (int counter : swaps_)
    text += swap_function(program_.arrays[counter]);
  if (program_.struct_argument) {
    text += "struct Arguments {\n  int padding[" + number(program_.padding) + "];\n";
    for (int v : program_.kernel().parameters)
      text += "  " + name(program_.kernel().variables[v].type) + " " +
              program_.kernel().variables[v].name + ";\n";
    text += "};\n";
  }
  return text + "\n";
}

// Functions call only earlier ones. So a pass from the last to the first finds which are needed.
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

std::string print(const Program &program) {
  return Printer(program).text();
}

std::string build_options(const Program &program) {
  return std::string(program.opencl_3 ? "-cl-std=CL3.0" : "-cl-std=CL1.2") +
         (program.options.empty() ? "" : " ") + program.options;
}

const char *name(HostMemory memory) {
  static const char *const names[] = {"buffers", "coarse-grained shared memory",
                                      "fine-grained shared memory", "memory of the system"};
  return names[int(memory)];
}

std::string describe(const Launch &launch) {
  auto triple = [&](const auto &v) {
    std::string text;
    for (uint32_t d = 0; d < launch.dimensions; ++d)
      text += (d ? "x" : "") + number(v[d]);
    return text;
  };
  return "global " + triple(launch.global) + ", local " + triple(launch.local) + ", offset " +
         triple(launch.offset);
}

} // namespace lockstep::fuzz
