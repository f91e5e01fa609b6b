// Lowers statements to a list of steps with jumps, so that the state of a work-item that waits at a
// barrier is only a number: the index of its step.
#pragma once

#include "program.h"

namespace lockstep::fuzz {

enum class StepKind {
  simple, // statement: declare, assign, store, private_store, atomic, and those on memory
  set,    // variable := expr, or 0 without one
  count,  // ++variable
  test,   // unless expr: jump
  below,  // unless variable < expr: jump
  jump,
  choose, // table[expr % table.size()]
  barrier,
  async_copy,
  together,
  call,
  give_back,
};

struct Step {
  StepKind kind;
  const Stmt *stmt = nullptr;
  const Expr *expr = nullptr;
  int variable = -1;
  int target = -1;
  std::vector<int> table{};
};

std::vector<Step> linear_code(const Function &function);

} // namespace lockstep::fuzz
