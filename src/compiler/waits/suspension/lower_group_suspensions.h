// Lowers the waits of a work-group that is suspended as a whole.
//
// Input:  the function of one sub-group, before work-item-loops makes it the function of the group.
//         Other functions are unchanged.
// Output: a wait becomes `__lockstep_suspend(i32 Step::waiting, i32 site, i1 changed)`. Each
//         `__lockstep_seen` records its sub-group, by `__lockstep_sub_group`, which work-item-loops
//         lowers. Barriers stay: loops over sub-groups end there.
//
// The pass runs before work-item-loops, because only that pass knows the number of the sub-group. A
// suspension is then a call in the middle of its loop, and make-coroutine finds the values live
// across it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerGroupSuspensionsPass : public llvm::PassInfoMixin<LowerGroupSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
