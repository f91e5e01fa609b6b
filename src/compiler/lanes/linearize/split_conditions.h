// Gives the uniform part of a branch's condition a branch of its own.
//
// In `if (x < n && y < n)`, all lanes of a row agree on `y < n`. With two branches, only `x < n` is
// a mask, and idle_sub_groups.h finds the rows that need none.
//
// Requires: the kernel after lane-ids.
// Ensures: no branch depends on the conjunction or disjunction of a uniform and a divergent part,
// except those that leave or repeat a loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Returns whether a branch was split.
bool split_conditions(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
