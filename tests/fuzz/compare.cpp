#include "compare.h"

#include "interpret.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace lockstep::fuzz {

namespace {

void expression_parts(Expr &e, std::vector<Part> &out) {
  if (e.kind != ExprKind::literal && !e.fixed)
    out.push_back({nullptr, &e});
  for (const ExprPtr &argument : e.args)
    expression_parts(*argument, out);
}

void expressions_of(const Stmt &s, std::vector<Part> &out) {
  // A for loop without its condition or step might never end; other loops have an iteration
  // counter. A store that gives memory its first value must stay; only its value may be cut.
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

std::string text_of(const Value &v) {
  std::string text;
  for (unsigned i = 0; i < v.type.lanes; ++i) {
    char lane[64];
    if (is_float(v.type.elem))
      std::snprintf(lane, sizeof lane, "%a", floating(v.type.elem, v.lane[i]));
    else
      std::snprintf(lane, sizeof lane, "0x%llx", static_cast<unsigned long long>(v.lane[i]));
    text += (i ? ", " : "") + std::string(lane);
  }
  return text;
}

// Compares lane by lane; zeros of either sign are equal.
bool same_numbers(const Value &a, const Value &b) {
  bool same = is_float(a.type.elem);
  for (unsigned i = 0; same && i < a.type.lanes; ++i)
    same = floating(a.type.elem, a.lane[i]) == floating(a.type.elem, b.lane[i]);
  return same;
}

// Compares one element. Returns an empty string, or a description of the difference. Padding is
// ignored.
std::string difference(const Program &program, const DataType &data, const uint8_t *got,
                       const uint8_t *expected) {
  const Structures &structures = program.structures;
  const size_t size = size_of(data, structures);
  if (!data.is_structure()) {
    if (!std::memcmp(got, expected, size) ||
        (program.fast && same_numbers(load(data.type, got), load(data.type, expected))))
      return "";
    return " is " + text_of(load(data.type, got)) + ", expected " +
           text_of(load(data.type, expected));
  }
  const std::vector<uint8_t> &mask = structures[data.structure].mask;
  size_t byte = 0;
  while (byte < size && !((got[byte] ^ expected[byte]) & mask[byte]))
    ++byte;
  if (byte == size)
    return "";
  std::string text;
  for (const Leaf &leaf : leaves(data, structures)) {
    auto value = [&](const uint8_t *memory) {
      return load_bits(leaf.type, memory + leaf.offset, leaf.bit_offset, leaf.bit_width);
    };
    const Value is = value(got), should = value(expected);
    if (!text.empty() || text_of(is) == text_of(should) ||
        (program.fast && same_numbers(is, should)))
      continue;
    for (const PathStep &step : leaf.path)
      text += "." + member_name(step.member) + "[" + std::to_string(step.index) + "]";
    text += " is " + text_of(is) + ", expected " + text_of(should);
  }
  return text.empty() && !program.fast ? " differs in byte " + std::to_string(byte) : text;
}

// The same for numbers that only need to be right within an error.
std::string beyond(Type type, const uint8_t *got, const uint8_t *expected, const double *errors) {
  const Value is = load(type, got), should = load(type, expected);
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    const double off =
        std::fabs(floating(type.elem, is.lane[lane]) - floating(type.elem, should.lane[lane]));
    if (is.lane[lane] == should.lane[lane] || std::isinf(errors[lane]) || off <= errors[lane])
      continue;
    char most[32];
    std::snprintf(most, sizeof most, "%g", errors[lane]);
    return " is " + text_of(is) + ", expected " + text_of(should) + " within " + most +
           " in lane " + std::to_string(lane);
  }
  return "";
}

std::string first_difference(const Program &program, const Outcome &expected,
                             const DeviceOutcome &got) {
  for (size_t a = 0; a < program.arrays.size(); ++a) {
    const Array &array = program.arrays[a];
    const size_t size = element_size(program, array);
    for (size_t at = 0; at < got.memory[a].size(); at += size) {
      const std::string how =
          array.space == Space::estimate
              ? beyond(array.type, &got.memory[a][at], &expected.memory[a][at],
                       &expected.errors[a][at / size * array.type.lanes])
              : difference(program, array.data(), &got.memory[a][at], &expected.memory[a][at]);
      if (how.empty())
        continue;
      const size_t element = at / size;
      std::string text = array.name + "[" + std::to_string(element) + "]";
      if (is_of_launch(array.space))
        text += " (work-item " +
                std::to_string(array.strided ? element % program.launch.items()
                                             : element / array.slots) +
                ", slot " +
                std::to_string(array.strided ? element / program.launch.items()
                                             : element % array.slots) +
                ")";
      return text + how;
    }
  }
  return "";
}

// Compares as multisets: lines of different work-items come in any order.
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
  static const char *const names[] = {"same",  "differs", "problem",  "illegal",
                                      "crash", "hang",    "unusable", "slow"};
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
  static const int output = dup(STDOUT_FILENO); // device.run() captures what kernels print
  DeviceOutcome got = device.run(program, print(program), [] { dprintf(output, "%s\n", runs); });
  // The reducer may cut a statement that declares a name.
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
