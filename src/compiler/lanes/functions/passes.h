// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Makes vector variants of out-of-line functions.
class VectorVariantsPass : public RequiredPass<VectorVariantsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace lockstep::compiler
