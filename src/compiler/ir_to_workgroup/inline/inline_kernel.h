// Makes the kernel one function, but for what keep-functions keeps.
//
// Input:  a module with one kernel, builtins linked; functions with the attribute "lockstep-kept-function" stay.
// Output: no function with a body but the kernel and those, and no call of a defined function but of those. Allocas
//         are in the entry block. Those functions have internal linkage, whatever they had.
//
// Everything else is inlined because barriers may stand in any function, and because the lanes and region stages work on
// one control-flow graph. OpenCL C forbids recursion (6.11), and the front end rejects it.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InlineKernelPass : public llvm::PassInfoMixin<InlineKernelPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
