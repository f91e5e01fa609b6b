#include "program.h"

namespace lockstep::fuzz::undefined {

namespace {

const char *type(unsigned bits) {
  return bits == 8 ? "uchar" : bits == 16 ? "ushort" : bits == 32 ? "uint" : "ulong";
}

class Printer {
public:
  std::string text;

  void program(Program &program) {
    line("#define OWN get_local_id(0)");
    line("#define ME get_global_id(0)");
    line("kernel void undefined(global const uint *fresh, global uint *mine, global uint *out) {");
    for (unsigned i = 0; i != 2; ++i) {
      line(std::string("  local ") + type(program.local_bits[i]) + " local" + number(i) + "[" +
           number(group_size * local_slots) + "];");
      line(std::string("  ") + type(program.private_bits[i]) + " own" + number(i) + "[" +
           number(private_size) + "];");
    }
    line("  local uint raw[" + number(group_size) + "];");
    for (unsigned i = 0; i != program.variables.size(); ++i)
      if (const Variable &v = program.variables[i]; !v.is_of_block)
        line(std::string("  ") + type(v.bits) + " v" + number(i) +
             (v.is_set ? " = " + number(3 + i) : "") + ";");
    for (Phase &phase : program.phases) {
      block(phase.block, "  ", program);
      meeting(phase, program);
    }
    line("}");
  }

private:
  static std::string number(uint64_t value) { return std::to_string(value); }
  void line(const std::string &what) {
    text += what + '\n';
    ++lines_;
  }
  static std::string as(unsigned bits, const std::string &what) {
    return std::string("(") + type(bits) + ")(" + what + ")";
  }
  static std::string at(const Expr &index, unsigned size) {
    return "[" + expr(index) + " & " + number(size - 1) + "]";
  }
  static std::string own(unsigned slot, unsigned slots) {
    return "[OWN * " + number(slots) + " + " + number(slot) + "]";
  }
  static std::string mine(unsigned slot) {
    return "[ME * " + number(mine_slots) + " + " + number(slot) + "]";
  }

  static std::string expr(const Expr &e) {
    switch (e.kind) {
    case ExprKind::literal:
      return as(e.bits, number(e.number) + "ul");
    case ExprKind::item:
      return "(uint)OWN";
    case ExprKind::variable:
      return "v" + number(e.number);
    case ExprKind::of_private:
      return "own" + number(e.number) + at(e.args[0], private_size);
    case ExprKind::of_local_own:
      return "local" + number(e.number) + own(e.slot, local_slots);
    case ExprKind::of_local:
      return "local" + number(e.number) + at(e.args[0], local_size);
    case ExprKind::of_fresh:
      return "fresh" + at(e.args[0], fresh_size);
    case ExprKind::of_mine:
      return "mine" + mine(e.slot);
    case ExprKind::shift_by:
      return as(e.bits, expr(e.args[0]) + (e.op == Op::left ? " << " : " >> ") + number(e.number));
    case ExprKind::complement:
      return as(e.bits, "~" + expr(e.args[0]));
    case ExprKind::convert:
      return as(e.bits, expr(e.args[0]));
    case ExprKind::choose:
      return as(e.bits,
                expr(e.args[0]) + " > 5 ? " + number(e.number) + "ul : " + number(e.other) + "ul");
    case ExprKind::binary:
      break;
    }
    static const char *const signs[] = {"+", "-", "*", "&", "|", "^", "<<", ">>", "==", "<"};
    std::string right = expr(e.args[1]);
    if (e.op == Op::left || e.op == Op::right)
      right = "(" + right + " & " + number(e.bits - 1) + ")";
    return as(e.bits, expr(e.args[0]) + " " + signs[unsigned(e.op)] + " " + right);
  }

  void statement(Stmt &s, const std::string &indent, Program &program) {
    s.line = lines_ + 1;
    const std::string n = number(s.number);
    auto simple = [&](const std::string &what) { line(indent + what + ";"); };
    auto set = [&](const std::string &place) { simple(place + " = " + expr(s.value)); };
    const std::string out = "out[ME * " + number(out_slots) + " + " + number(s.slot) + "]";
    switch (s.kind) {
    case StmtKind::assign:
      return set("v" + n);
    case StmtKind::private_store:
      return set("own" + n + at(s.index, private_size));
    case StmtKind::local_store:
      return set("local" + n + own(s.slot, local_slots));
    case StmtKind::mine_store:
      return set("mine" + mine(s.slot));
    case StmtKind::out_store:
      return set(out);
    case StmtKind::count:
      return simple("atomic_add(&mine" + mine(s.slot) + ", " + expr(s.value) + ")");
    case StmtKind::raw_store:
      return set("raw[OWN]");
    case StmtKind::raw_copy:
      return simple(out + " = raw[OWN]");
    case StmtKind::raw_sum:
      return simple(out + " = raw[OWN] + 1");
    case StmtKind::raw_branch:
      return simple("if (raw[OWN] > 2) " + out + " = 1");
    case StmtKind::branch:
      line(indent + "if (" + expr(s.value) + ") {");
      block(s.blocks[0], indent + "  ", program);
      line(indent + "} else {");
      block(s.blocks[1], indent + "  ", program);
      break;
    case StmtKind::loop:
      line(indent + "for (uint i" + n + " = 0; i" + n + " < (" + expr(s.value) + " & 3); ++i" + n +
           ") {");
      block(s.blocks[0], indent + "  ", program);
      break;
    case StmtKind::choice:
      line(indent + "switch (" + expr(s.value) + " & 3) {");
      for (unsigned i = 0; i != s.blocks.size(); ++i) {
        line(indent + (i + 1 == s.blocks.size() ? "default: {" : "case " + number(i) + ": {"));
        block(s.blocks[i], indent + "  ", program);
        line(indent + "} break;");
      }
      break;
    case StmtKind::block:
      line(indent + "{ " + type(program.variables[s.number].bits) + " v" + n + ";");
      block(s.blocks[0], indent + "  ", program);
      break;
    }
    line(indent + "}");
  }
  void block(Block &statements, const std::string &indent, Program &program) {
    for (Stmt &s : statements)
      statement(s, indent, program);
  }

  void meeting(Phase &phase, const Program &program) {
    const std::string variable = "  v" + number(phase.variable) + " = ";
    phase.line = lines_ + 1;
    if (phase.meeting == Meeting::all)
      line(variable + "work_group_all((int)" + expr(phase.value) + ");");
    else if (phase.meeting == Meeting::any)
      line(variable + "work_group_any((int)" + expr(phase.value) + ");");
    else if (phase.meeting == Meeting::sum)
      line(variable + "work_group_reduce_add(" + expr(phase.value) + ");");
    line("  barrier(CLK_LOCAL_MEM_FENCE);");
    if (phase.meeting != Meeting::copy || program.local_bits[0] != 32)
      return;
    line("  { event_t e = async_work_group_copy(local0, fresh + " + number(phase.from) + ", " +
         number(local_size) + ", 0);");
    line("  wait_group_events(1, &e); }");
    line("  barrier(CLK_LOCAL_MEM_FENCE);");
  }

  unsigned lines_ = 0;
};

} // namespace

std::string print(Program &program) {
  Printer printer;
  printer.program(program);
  return std::move(printer.text);
}

} // namespace lockstep::fuzz::undefined
