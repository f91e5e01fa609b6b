// Says where a work-group stops that is suspended as a whole (the form by groups).
//
// Input:  the function of one sub-group, before work-item-loops makes it that of the group.
// Output: a wait is `__lockstep_suspend(i32 Step::waiting, i32 site, i1 changed)`, and each
//         `__lockstep_seen` tells which sub-group looked, by `__lockstep_sub_group`, which
//         work-item-loops answers. Barriers stay: they are where loops over sub-groups end.
//
// Other functions are left alone. Before work-item-loops, because only there the number of the
// sub-group is known; a suspension is then a call in the middle of its loop, and make-coroutine finds
// what lives across it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerGroupSuspensionsPass : public llvm::PassInfoMixin<LowerGroupSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
