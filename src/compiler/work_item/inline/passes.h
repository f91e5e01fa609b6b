// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Puts an instruction of its own in front of each call that will be inlined, for a debugger.
class MarkCallLinesPass : public RequiredPass<MarkCallLinesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Decides which functions of a large kernel are not inlined.
class KeepOutOfLinePass : public RequiredPass<KeepOutOfLinePass> {
public:
  // `limit`: instructions, as the front end emits them; 0: all functions stay out of line, if
  // possible. `optimize` is that of WorkGroupOptions, `checks` is CodeOptions::check.
  explicit KeepOutOfLinePass(uint64_t limit, bool optimize = true, bool checks = false)
      : limit_(limit), optimize_(optimize), checks_(checks) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  uint64_t limit_;
  bool optimize_, checks_;
};

// Inlines everything into the kernel, except out-of-line functions (keep-out-of-line).
class InlineKernelPass : public RequiredPass<InlineKernelPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

// Drops `volatile` from private variables that are written once, before they are read.
class VolatileConstantsPass : public RequiredPass<VolatileConstantsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Gives out-of-line functions signatures that can be vectorized, and removes work-item ids from
// their bodies.
class PlainSignaturesPass : public RequiredPass<PlainSignaturesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Keeps integer division from trapping.
class GuardIntegerDivisionPass : public RequiredPass<GuardIntegerDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
