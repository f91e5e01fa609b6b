// Keeps sub-group operations on their side of branches that leave a loop.
//
// An operation of a sub-group has no effect but its result, which depends on the lanes that come to
// it: its declaration is convergent and accesses no memory. LLVM 22 looks at memory only when it
// takes a branch out of a loop (SimpleLoopUnswitch, the trivial kind): in
//
//     for (...) { any = sub_group_any(x); if (same_in_each_round) break; use(any); }
//
// the branch comes to stand before the loop, and the lanes that leave never come to the operation.
//
// hold-convergent-calls:    such declarations access memory that nothing else does.
// release-convergent-calls: they do not any more.
//
// Around the scalar optimisations, for all of them; none moves a side effect across a branch.
//
// Upstream: llvm/llvm-project#207047, mended in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class HoldConvergentCallsPass : public llvm::PassInfoMixin<HoldConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

class ReleaseConvergentCallsPass : public llvm::PassInfoMixin<ReleaseConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
