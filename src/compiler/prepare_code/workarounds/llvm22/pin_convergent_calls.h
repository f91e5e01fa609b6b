// Keeps sub-group operations on their side of branches that leave a loop.
//
// A sub-group operation has no effect but its result, which depends on the lanes that execute it:
// its declaration is convergent and accesses no memory. LLVM 22 considers only memory effects when
// it moves a branch out of a loop (SimpleLoopUnswitch, the trivial kind). In
//
//     for (...) { any = sub_group_any(x); if (same_in_each_round) break; use(any); }
//
// the branch moves before the loop, and the lanes that leave never execute the operation.
//
// pin-convergent-calls:   marks such declarations as accessing memory that is inaccessible
// otherwise.
// unpin-convergent-calls: removes that mark.
//
// Position: around the scalar optimizations; none of them moves a side effect across a branch.
//
// Upstream: llvm/llvm-project#207047, fixed in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PinConvergentCallsPass : public llvm::PassInfoMixin<PinConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

class UnpinConvergentCallsPass : public llvm::PassInfoMixin<UnpinConvergentCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
