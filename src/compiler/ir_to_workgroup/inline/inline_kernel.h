// Makes the kernel one function.
//
// Input:  a module with one kernel, builtins linked.
// Output: exactly one function with a body, the kernel, and no call of a defined function. Allocas
// are in the entry
//         block. Struct arguments (byval) that the kernel only reads are read in place; others are
//         copied into a private variable of each work-item.
//
// Everything is inlined because barriers may stand in any function, and because the lanes and
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
