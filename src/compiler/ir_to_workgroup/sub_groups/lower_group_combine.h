// Turns `__lockstep_group_combine` into the loop over the sub-groups' partial results.
//
// Input:  the function of one work-group: the operation stands where it runs once for the group.
//         Scratch memory holds 8 bytes for the result, then 8 for each sub-group.
// Output: a loop in its place. A reduction leaves the result in front; an exclusive scan replaces
//         each partial result by the combination of those before it; a pick copies one to the
//         front.
//
// After work-item-loops, which puts the operation between two loops over the sub-groups: so the
// combination of partial results is computed once, by one work-item's worth of code.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerGroupCombinePass : public llvm::PassInfoMixin<LowerGroupCombinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
