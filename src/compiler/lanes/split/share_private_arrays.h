// Shares private variables in which all lanes hold the same values: one variable for the sub-group.
//
// Packet ray traversal is an example. The next node is chosen by a vote, so it is uniform, and so
// is the stack of nodes left to visit. But the stack is a private array. If each lane loaded from
// its own copy, all dependent values, above all loads of nodes and branches, would be divergent.
//
// Input:  the kernel after lane-ids and answer-sub-group-queries.
// Output: shared variables have the metadata `lockstep.sub.group.variable`, so that
//         interleave-private leaves them unchanged. Loads from them are uniform where the address
//         is.
//
// All lanes hold the same values if
// - every store has a uniform value and a uniform address. This is first assumed for all variables;
//   variables that contradict the assumption are dropped until none does;
// - the same lanes execute every store. Either no divergent branch controls it, or the same
//   branches, none in a loop, control all accesses (`if (get_global_id(0) < n)` around the whole);
// - no store is in a serialized region (analysis/serial_regions.h). serialize-loops moves no loop with
//   such a store;
// - the address does not escape.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SharePrivateArraysPass : public llvm::PassInfoMixin<SharePrivateArraysPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
