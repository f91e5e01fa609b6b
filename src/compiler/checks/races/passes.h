// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Specializes calls of atomics, fences and barriers whose scope or flags are not constant, such as
// arguments of a helper function or variables.
class ExposeScopesPass : public RequiredPass<ExposeScopesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Keeps memory accesses as the kernel has them, until they are instrumented.
class PinAccessesPass : public RequiredPass<PinAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Marks the instructions of the program, to distinguish them from those of the device library.
class MarkUserCodePass : public RequiredPass<MarkUserCodePass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace lockstep::compiler
