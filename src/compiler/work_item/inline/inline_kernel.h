// Inlines everything into the kernel, except out-of-line functions (keep-out-of-line).
//
// Requires: a module with one kernel, builtins linked; out-of-line functions have the attribute
// "lockstep-out-of-line".
// Ensures: only the kernel and these functions have a body and are called. Allocas are in the entry
// block. The functions have internal linkage.
//
// Everything else is inlined because any function may contain a barrier, and because the lanes and
// region stages work on one control-flow graph. OpenCL C forbids recursion (6.11), and the front
// end rejects it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InlineKernelPass : public llvm::PassInfoMixin<InlineKernelPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
