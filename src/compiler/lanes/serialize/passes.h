// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Serializes all code that needs no other lane, in kernels that would take too long to compile in
// lanes.
class SerializeRegionsPass : public RequiredPass<SerializeRegionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
