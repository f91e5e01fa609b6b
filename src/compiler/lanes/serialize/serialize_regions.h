// Serializes all code that needs no other lane, in kernels that would take too long to compile in
// lanes.
//
// A kernel that requires its sub-group size, or observes its sub-groups, cannot get fewer lanes
// when its machine code would take too long to generate (target_model/code_cost.h). But only
// sub-group and group operations observe how lanes run. The code between these operations can be
// scalar code in a loop over the lanes. It compiles as fast as with one lane, and has jumps instead
// of masks.
//
// Input:  the kernel as canonicalize-flow leaves it, without vector variants of functions.
// Output: the largest single-entry, single-exit regions without operations on several lanes are
//         functions, as those of serialize-loops; inline-serial-loops inlines them. Ids and
//         addresses that a region can recompute are not passed to it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SerializeRegionsPass : public llvm::PassInfoMixin<SerializeRegionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
