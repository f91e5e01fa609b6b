// Lowers `__lockstep_group_combine` to a loop over the sub-groups' partial results.
//
// Requires: the function of one work-group, in which the call executes once per group. The scratch
// memory holds 8 bytes for the result, then 8 bytes for each sub-group.
// Ensures: a reduction stores its result at the front of the scratch memory. An exclusive scan
// replaces each partial result by the combination of those before it. A pick copies one to the
// front.
//
// Position: after work-item-loops, which places the call between two loops over the sub-groups. So
// the partial results are combined once per group.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerGroupCombinePass : public llvm::PassInfoMixin<LowerGroupCombinePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
