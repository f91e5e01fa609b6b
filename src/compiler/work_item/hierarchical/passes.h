// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Turns hierarchical kernels (SYCL 2020, section 4.9.4.2.3) into kernels with barriers.
class LowerItemScopesPass : public RequiredPass<LowerItemScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace lockstep::compiler
