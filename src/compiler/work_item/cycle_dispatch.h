// Leads the entries and the iterations of a cycle through one block, the dispatch block.
//
// The dispatch block becomes the target of all edges into the cycle. A selector decides which entry
// is next:
//
//     entry -> a, entry -> b, a <-> b      becomes      dispatch: selector = phi; br selector, a, b
//
// An iteration ends as follows:
// - In a cycle without group operations, at the edges back to its first entry.
// - In a cycle with barriers or other group operations, at all edges out of their blocks.
//   Work-items enter such a cycle at different entries and meet at its first barrier. So all lanes
//   must reach it in the same iteration and continue from there together. A loop that begins at one
//   entry would let some lanes reach the barrier one iteration before the others.
// - In a cycle with sub-group operations only, at all edges out of those that no lane can bypass.
//   Operations of OpenCL's extensions for non-uniform flow may be in a branch that some lanes take.
#pragma once

#include "llvm/IR/CycleInfo.h"

namespace lockstep::compiler {

// Whether the cycle has an operation that all work-items of a group execute together.
bool has_group_operation(const llvm::Cycle &cycle);

// Changes the function, so that `cycle` and all other analyses are invalid afterwards.
void add_dispatch(llvm::Function &function, const llvm::Cycle &cycle);

} // namespace lockstep::compiler
