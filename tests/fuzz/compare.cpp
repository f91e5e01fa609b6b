#include "compare.h"

#include "interpret.h"

#include <algorithm>
#include <cstdio>

namespace lockstep::fuzz {

namespace {

void expression_parts(Expr &e, std::vector<Part> &out) {
  if (e.kind != ExprKind::literal)
    out.push_back({nullptr, &e});
  for (const ExprPtr &argument : e.args)
    expression_parts(*argument, out);
}

void expressions_of(const Stmt &s, std::vector<Part> &out) {
  // Without the condition and the step of a for loop it might never end; the others have a round
  // counter. And where memory gets its first value, the place must stay, but not the value.
  if (s.kind == StmtKind::for_loop)
    return;
  for (size_t i = s.needed ? 1 : 0; i < s.expr.size(); ++i)
    expression_parts(*s.expr[i], out);
}

void statements_of(Block &block, std::vector<Part> &statements, std::vector<Part> &expressions) {
  for (StmtPtr &s : block) {
    const bool result = s->kind == StmtKind::give_back && !s->expr.empty();
    if (s->kind != StmtKind::declare && !result && !s->needed)
      statements.push_back({s.get(), nullptr});
    expressions_of(*s, expressions);
    for (Block &inner : s->blocks)
      statements_of(inner, statements, expressions);
  }
}

std::string text_of(Type type, const uint8_t *memory) {
  Value v = load(type, memory);
  std::string text;
  for (unsigned i = 0; i < type.lanes; ++i) {
    char lane[64];
    if (is_float(type.elem))
      std::snprintf(lane, sizeof lane, "%a", floating(type.elem, v.lane[i]));
    else
      std::snprintf(lane, sizeof lane, "0x%llx", static_cast<unsigned long long>(v.lane[i]));
    text += (i ? ", " : "") + std::string(lane);
  }
  return text;
}

// Zeros of either sign are the same.
bool same_numbers(Type type, const uint8_t *left, const uint8_t *right) {
  const Value a = load(type, left), b = load(type, right);
  bool same = is_float(type.elem);
  for (unsigned i = 0; same && i < type.lanes; ++i)
    same = floating(type.elem, a.lane[i]) == floating(type.elem, b.lane[i]);
  return same;
}

std::string first_difference(const Program &program, const Outcome &expected,
                             const DeviceOutcome &got) {
  for (size_t a = 0; a < program.arrays.size(); ++a) {
    const Array &array = program.arrays[a];
    const size_t size = size_of(array.type);
    for (size_t at = 0; at < got.memory[a].size(); at += size) {
      if (!std::memcmp(&got.memory[a][at], &expected.memory[a][at], size) ||
          (program.fast && same_numbers(array.type, &got.memory[a][at], &expected.memory[a][at])))
        continue;
      const size_t element = at / size;
      std::string text = array.name + "[" + std::to_string(element) + "]";
      if (array.space == Space::output)
        text += " (work-item " +
                std::to_string(array.strided ? element % program.launch.items()
                                             : element / array.slots) +
                ", slot " +
                std::to_string(array.strided ? element / program.launch.items()
                                             : element % array.slots) +
                ")";
      return text + " is " + text_of(array.type, &got.memory[a][at]) + ", expected " +
             text_of(array.type, &expected.memory[a][at]);
    }
  }
  return "";
}

// Lines of different work-items come in any order.
std::string first_difference(std::vector<std::string> expected, std::vector<std::string> got) {
  std::ranges::sort(expected);
  std::ranges::sort(got);
  const auto [left, right] = std::ranges::mismatch(expected, got);
  if (left == expected.end() && right == got.end())
    return "";
  return "printed '" + (right == got.end() ? "" : *right) + "', expected '" +
         (left == expected.end() ? "" : *left) + "'";
}

} // namespace

const char *name(Verdict verdict) {
  static const char *const names[] = {"same",  "differs", "problem", "illegal",
                                      "crash", "hang",    "unusable"};
  return names[int(verdict)];
}

std::vector<Part> parts(Program &program) {
  std::vector<Part> statements, expressions;
  for (size_t i = program.functions.size(); i-- > 0;)
    statements_of(program.functions[i].body, statements, expressions);
  statements.insert(statements.end(), expressions.begin(), expressions.end());
  return statements;
}

void cut(Program &program, const std::vector<int> &numbers) {
  std::vector<Part> all = parts(program);
  for (int number : numbers) {
    const Part &part = all.at(number);
    (part.stmt ? part.stmt->cut : part.expr->cut) = true;
  }
}

Report compare(const Program &program, OpenClDevice &device) {
  Outcome expected = interpret(program);
  if (!expected.illegal.empty())
    return {Verdict::illegal, expected.illegal};
  DeviceOutcome got = device.run(program, print(program));
  // A part that was cut while reducing declared something.
  if (got.problem.find("use of undeclared identifier") != std::string::npos)
    return {Verdict::illegal, got.problem};
  if (!got.problem.empty())
    return {Verdict::problem, got.problem};
  std::string difference = first_difference(program, expected, got);
  if (difference.empty())
    difference = first_difference(expected.lines, got.lines);
  return {difference.empty() ? Verdict::same : Verdict::differs, difference};
}

} // namespace lockstep::fuzz
