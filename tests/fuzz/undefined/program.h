// Syntax of random kernels that compute with partly undefined values, and the functions that make,
// print and interpret them.
//
// Undefined memory has a known content nevertheless, so that both sides take the same branches:
// private memory is 0 under the checker, and the program reads its buffers first. The content of
// local memory is unknown. So the array `raw` is used only where nothing else depends on it, and
// the other local arrays are written before the first barrier, with undefined values too.
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
  of_local,     // array `number` at args[0]; in phases in which no work-item writes it
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
  private_store, // array `number` at `index`
  local_store,   // array `number`, own slot
  mine_store,    // own slot
  out_store,     // own slot
  count,         // atomically, in an own slot of `mine`
  raw_store,     // raw[item] = value
  raw_copy,      // out = raw[item]
  raw_sum,       // out = raw[item] + 1
  raw_branch,    // if (raw[item] > 2) out = 1
  branch,        // value; blocks[0], blocks[1]
  loop,          // (value & 3) iterations; blocks[0]
  choice,        // switch (value & 3); blocks[i]
  block,         // with a new uninitialized variable `number`; blocks[0]
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
struct Phase { // ends at a collective operation of the work-group
  Block block;
  Meeting meeting = Meeting::barrier;
  unsigned variable = 0; // receives the result
  unsigned from = 0;     // of a copy from `fresh` to local array 0
  Expr value;
  unsigned line = 0;
};

struct Variable {
  unsigned bits;
  bool is_set;      // initialized with a literal
  bool is_of_block; // declared in a block
};
struct Program {
  uint64_t seed = 0;
  std::vector<Variable> variables;
  std::array<unsigned, 2> private_bits{}, local_bits{};
  std::vector<Phase> phases;
};

struct Finding {
  unsigned line;
  std::string what; // as named in reports
  auto operator<=>(const Finding &) const = default;
};
using Findings = std::set<Finding>;

// The number of defined words of `fresh`; all other buffers are undefined. Half of `fresh` is
// defined, or in every third program all of it, so that the launch knows that it is defined.
constexpr unsigned defined_words(const Program &program) {
  return program.seed % 3 == 0 ? fresh_size : fresh_size / 2;
}
struct Contents {
  std::vector<uint32_t> fresh, mine;
};

Program generate(uint64_t seed);
std::string print(Program &program); // sets the line numbers
Findings interpret(const Program &program, const Contents &contents);

} // namespace lockstep::fuzz::undefined
