// Varies the spelling of a program. Its meaning does not change, but clang makes other syntax trees
// of it. The choice depends on the text, so that the reducer's cuts elsewhere do not change it.
#include "printer.h"

namespace lockstep::fuzz {

bool Printer::said(const std::string &text, unsigned percent) const {
  uint64_t hash = program_.seed * 0x9e3779b97f4a7c15 + percent;
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return (hash >> 32) % 100 < percent;
}

// Linkage, and whether the function is to be inlined.
std::string Printer::function_specifiers(const Function &f) const {
  static const char *const linkages[] = {
      "", "static ", "inline ", "static inline ", "extern inline ", "__attribute__((weak)) "};
  size_t chosen = 0;
  for (unsigned bit = 0; bit != 3; ++bit)
    chosen |= size_t{said(f.name, 49 + bit)} << bit;
  const std::string linkage = linkages[chosen % std::size(linkages)];
  if (f.apart)
    return linkage + "__attribute__((noinline)) ";
  return linkage + (said(f.name, 10) ? "__attribute__((always_inline)) " : "");
}

std::string Printer::expression(const Expr &e) {
  const std::string text = plain(e);
  const Type type = e.type;
  if (e.kind == ExprKind::literal || e.cut) {
    const uint64_t v = e.cut ? 1 : e.literal.lane[0];
    if (type == type_int && v < 4 && said(text, 30))
      return std::string("number_") + "0123"[v];
    if (type == type_uint && (v == 4 || v == 8) && said(text, 30))
      return "((uint)sizeof(" + std::string(v == 4 ? "float" : "short4") + "))";
    return text;
  }
  if (e.fixed || e.is_structure()) // a location or a pointer
    return text;
  if (said(text, 2))
    return "((void)0, " + text + ")";
  if (type.lanes == 1 && (is_float(type.elem) || bits(type.elem) >= 32) && said(text, 3))
    return "(+" + text + ")";
  return text;
}

// The condition of a branch.
std::string Printer::condition(const Expr &e) {
  const std::string text = expression(e);
  return said(text, 10) ? "(bool)" + text : said(text, 11) ? "!!" + text : text;
}

// variable = variable + number, in one of the spellings that loops use.
std::string Printer::step(const std::string &variable, const Expr &next) {
  const std::string text = variable + " = " + expression(next);
  const bool counts = next.kind == ExprKind::operation && !next.cut &&
                      (Op(next.op) == Op::add || Op(next.op) == Op::subtract) &&
                      next.args[1]->kind == ExprKind::literal && !is_signed(next.type.elem);
  if (!counts || said(text, 30))
    return text;
  const bool up = Op(next.op) == Op::add;
  if (next.args[1]->literal.lane[0] == 1 && said(text, 50))
    return said(text, 51) ? variable + (up ? "++" : "--") : (up ? "++" : "--") + variable;
  return variable + (up ? " += " : " -= ") + expression(*next.args[1]);
}

// `variable op= value` if the assignment has that form and cannot overflow; otherwise an empty
// string.
std::string Printer::compound(const std::string &variable, const Stmt &s) {
  const Expr &e = *s.expr[0];
  if (e.cut || e.kind != ExprKind::operation || !s.lanes.empty() || !info(Op(e.op)).infix ||
      info(Op(e.op)).result != ResultOf::operand || Op(e.op) == Op::guarded_divide ||
      e.args.size() != 2 || e.args[0]->kind != ExprKind::variable || e.args[0]->cut ||
      e.args[0]->ref != s.ref || is_float(e.type.elem))
    return "";
  const Op op = Op(e.op);
  const bool of_bits = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
  const bool plain_type = !is_signed(e.type.elem) && (bits(e.type.elem) >= 32 || e.type.lanes > 1);
  if (!of_bits && !plain_type)
    return "";
  const std::string value = expression(*e.args[1]);
  const bool one = e.args[1]->kind == ExprKind::literal && e.args[1]->literal.lane[0] == 1 &&
                   e.type.lanes == 1 && !e.args[1]->cut;
  if (one && (op == Op::add || op == Op::subtract))
    return (op == Op::add ? "++" : "--") + variable;
  return variable + " " + info(op).text + "= " +
         (op == Op::divide || op == Op::modulo ? divisor(e.type, value) : value);
}

} // namespace lockstep::fuzz
