// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"
#include "kernel_ir/specialization.h"

namespace lockstep::compiler {

// Records on the kernel what it is specialized for.
class SpecializePass : public RequiredPass<SpecializePass> {
public:
  explicit SpecializePass(const Specialization &specialization) : specialization_(specialization) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  Specialization specialization_;
};

// Makes the local size a constant if the function is specialized for one ("lockstep-local-size",
// docs/kernel_ir.md).
class SpecializeLocalSizePass : public RequiredPass<SpecializeLocalSizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
