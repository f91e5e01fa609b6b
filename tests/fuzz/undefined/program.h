// Random kernels that compute with values of which nobody has written all bits: their syntax, and what makes, prints and
// interprets them.
//
// All that is undefined has a known content nevertheless, so that both sides take the same ways: private memory is 0 under
// the check, and the program reads its buffers first. Local memory has none: the array `raw` is only used so that nothing
// else depends on it; the others are written before the first barrier, by undefined values too.
#pragma once

#include "../random.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::fuzz::undefined {

inline constexpr unsigned groups = 3, group_size = 20, items = groups * group_size;
inline constexpr unsigned fresh_size = 64;                                    // words
inline constexpr unsigned private_size = 8, local_slots = 2, local_size = 32; // >= group_size * 1
inline constexpr unsigned mine_slots = 4, out_slots = 4;

enum class Op { add, subtract, multiply, bit_and, bit_or, bit_xor, left, right, equal, less };

enum class ExprKind {
  literal,
  item,         // the local id
  variable,     // number
  of_private,   // array `number` at args[0]
  of_local_own, // array `number`, the item's slot `slot`
  of_local,     // array `number` at args[0]; in phases in which nobody writes there
  of_fresh,     // at args[0]
  of_mine,      // slot
  binary,       // op, args
  shift_by,     // op, args[0], by a literal: number
  complement,   // args[0]
  convert,      // args[0], of another width
  choose,       // one of two literals by args[0]
};
struct Expr {
  ExprKind kind = ExprKind::literal;
  unsigned bits = 32; // of the result
  uint64_t number = 0, other = 0;
  unsigned slot = 0;
  Op op = Op::add;
  std::vector<Expr> args{};
};

enum class StmtKind {
  assign,        // variable `number`
  private_store, // array `number` at index
  local_store,   // array `number`, own slot
  mine_store,    // own slot
  out_store,     // own slot
  count,         // atomically, in an own slot of `mine`
  raw_store,     // raw[item] = value
  raw_copy,      // out = raw[item]
  raw_sum,       // out = raw[item] + 1
  raw_branch,    // if (raw[item] > 2) out = 1
  branch,        // value; blocks[0], blocks[1]
  loop,          // (value & 3) rounds; blocks[0]
  choice,        // switch (value & 3); blocks[i]
  block,         // with a new variable `number` without a value; blocks[0]
};
struct Stmt {
  StmtKind kind = StmtKind::assign;
  unsigned number = 0, slot = 0;
  Expr index{}, value{};
  std::vector<std::vector<Stmt>> blocks{};
  unsigned line = 0; // as printed
};
using Block = std::vector<Stmt>;

enum class Meeting { barrier, all, any, sum, copy };
struct Phase { // up to what all work-items of a group do together
  Block block;
  Meeting meeting = Meeting::barrier;
  unsigned variable = 0; // takes the result
  unsigned from = 0;     // of a copy from `fresh` to local array 0
  Expr value;
  unsigned line = 0;
};

struct Variable {
  unsigned bits;
  bool is_set;      // it begins with a literal
  bool is_of_block; // declared there
};
struct Program {
  uint64_t seed = 0;
  std::vector<Variable> variables;
  std::array<unsigned, 2> private_bits{}, local_bits{};
  std::vector<Phase> phases;
};

struct Finding {
  unsigned line;
  std::string what; // as reports name it
  auto operator<=>(const Finding &) const = default;
};
using Findings = std::set<Finding>;

// What the buffers have, of which nothing is defined but the first words of `fresh`: half of it, or of each third program all,
// so that a launch knows that it is.
constexpr unsigned defined_words(const Program &program) {
  return program.seed % 3 == 0 ? fresh_size : fresh_size / 2;
}
struct Contents {
  std::vector<uint32_t> fresh, mine;
};

Program generate(uint64_t seed);
std::string print(Program &program); // notes the lines
Findings interpret(const Program &program, const Contents &contents);

} // namespace lockstep::fuzz::undefined
