// Says where a sub-group of the resumable form stops.
//
// Input:  the function of one sub-group with barriers, group copies and the calls of mark-waits.
// Output: a barrier is `__lockstep_suspend(i32 Step::at_barrier, i32 site, i1 false)`; so is a
//         group copy, followed by the copy under "this is sub-group 0": the launch resumes
//         sub-group 0 first (resumable_abi.h), so the copy is over before another one goes on. A
//         wait is `__lockstep_suspend(i32 Step::waiting, i32 site, i1 changed)`. `__lockstep_seen`
//         stays.
//
// What stands between two suspensions is straight code of one thread, so the fences of a barrier
// are those of handing the sub-group from thread to thread, which the launch does.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerSuspensionsPass : public llvm::PassInfoMixin<LowerSuspensionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
