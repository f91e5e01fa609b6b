// Puts each group operation (barrier, async copy) into a basic block of its own.
//
// Input:  the kernel after the lanes stage.
// Output: a block that holds a group operation holds it, a branch, and nothing else, and has one
//         successor with one predecessor. One block returns.
//
// Just before barrier regions, which are then sets of whole blocks.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class IsolateGroupOperationsPass : public llvm::PassInfoMixin<IsolateGroupOperationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
