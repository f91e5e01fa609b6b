// Puts each group operation (barrier, async copy) into a basic block of its own.
//
// Requires: the kernel after the lanes stage.
// Ensures: a block with a group operation holds only that operation and a branch. It has one
// successor, which has one predecessor. The function has at most one return.
//
// Position: just before barrier regions are computed, so that regions are sets of whole blocks.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class IsolateGroupOperationsPass : public llvm::PassInfoMixin<IsolateGroupOperationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
