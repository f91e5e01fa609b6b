// Lowers barriers, group copies and waits of the coroutine form to suspensions of a sub-group.
//
// Input:  the function of one sub-group with barriers, group copies and the calls of mark-waits.
// Output: a barrier becomes `__lockstep_suspend(i32 Step::at_barrier, i32 site, i1 false)`. So does
//         a group copy, followed by the copy itself, guarded by "this is sub-group 0". The launch
//         resumes sub-group 0 first (resumable_abi.h), so the copy is complete before another
//         sub-group continues. A wait becomes `__lockstep_suspend(i32 Step::waiting, i32 site, i1
//         changed)`. `__lockstep_seen` stays.
//
// Between two suspensions the code runs on one thread. The launch therefore provides the fences of
// a barrier when it moves a sub-group from thread to thread.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerSuspensionsPass : public llvm::PassInfoMixin<LowerSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
