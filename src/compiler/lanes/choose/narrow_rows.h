// Estimates whether a sub-group should have the width of one row of work-items.
//
// In groups of 8 by 8 work-items, 16 lanes are two rows. The lanes of `a[y * n + x]` are then two
// runs of neighbors, at a distance that is known only at run time: a gather. With 8 lanes, the access
// is one load, but all arithmetic takes twice as many instructions. The estimate counts the
// instructions of both cases, weighted by LLVM's block frequencies.
//
// In groups of one dimension, rows may be made by `get_global_id(0) / 8` and `get_local_id(0) % 8`.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Runs before lane-ids. The kernel could have `width` lanes. Returns the width of a row if fewer
// lanes are better, and `width` otherwise.
uint32_t width_of_rows(llvm::Function &function, uint32_t width,
                       llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
