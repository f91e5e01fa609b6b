// Passes that exist only because LLVM 22's NVPTX has a fault.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Keeps the order of atomic updates.
class OrderAtomicsPass : public RequiredPass<OrderAtomicsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Keeps LLVM from dropping the wrap of a narrow index.
class FreezeWrappingIndicesPass : public RequiredPass<FreezeWrappingIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
