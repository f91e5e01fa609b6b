// Private variables in which all lanes hold the same become one for the sub-group.
//
// A packet of rays that goes through a tree together shows why. Which node comes next is voted on, so it is the same for all
// lanes, and so is the stack of nodes that are left to visit: but that is a private array, from which each lane would load its
// own, and all that depends on it, loads of nodes and branches above all, would differ between lanes.
//
// Input:  the kernel after lane-ids and answer-sub-group-queries.
// Output: such a variable has the metadata `lockstep.sub.group.variable`, which interleave-private leaves as it is; loads from
//         it are uniform where their address is.
//
// All lanes hold the same if
//   - every store puts the same value to the same place for all lanes, supposing that the variables are shared: those that this
//     contradicts are given up until none is;
//   - the same lanes do every store: either no divergent branch decides about it, or the same ones, none in a loop, decide about
//     all accesses (`if (get_global_id(0) < n)` around the whole);
//   - no lane does a store in its turn (analyze/lane_turns.h). serialise-loops moves no loop with such a store.
//   - the address goes nowhere else.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SharePrivateArraysPass : public llvm::PassInfoMixin<SharePrivateArraysPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
