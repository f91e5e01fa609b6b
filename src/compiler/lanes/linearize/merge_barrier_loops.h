// Merges loops with barriers that lanes leave at different iterations and enter again. The head of
// merge_barrier_loops.cpp says which.
#pragma once

#include "compiler/analysis/uniformity.h"

namespace lockstep::compiler {

// Requires reducible flow, one return and no switch. `level` says which lanes diverge. Returns true
// if the function has changed.
bool merge_barrier_loops(llvm::Function &function, UniformityLevel level);

} // namespace lockstep::compiler
