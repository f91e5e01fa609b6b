// Estimates whether a sub-group should have the width of one row of work-items.
//
// In groups of 8 by 8 work-items, 16 lanes are two rows, and accesses become gathers
// (row_accesses.h). With 8 lanes, all arithmetic takes twice as many instructions.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Runs before lane-ids. The kernel could have `width` lanes. Returns the width of a row if fewer
// lanes are better, and `width` otherwise.
uint32_t width_of_rows(llvm::Function &function, uint32_t width,
                       llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
