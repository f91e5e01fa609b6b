// Pads the rows of a work-group to whole sub-groups, with work-items that return at once.
//
// In groups of 20 by 20 work-items, 16 lanes are one row and the begin of the next, and accesses
// become gathers (row_accesses.h). With rows of 32, a sub-group has one row. The lanes behind the
// 20th are idle, which costs the kernel that computes more than it accesses memory: both cases are
// estimated.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Requires: sub-groups of `width`, which the kernel cannot observe.
// Ensures: if it pays, the kernel begins with a branch to its return, and "lockstep-local-size" has
// padded rows. If the local size is not known, "lockstep-padded-rows" says that sub-groups have one
// row. Returns whether the kernel changed.
bool pad_rows(llvm::Function &function, uint32_t width, llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
