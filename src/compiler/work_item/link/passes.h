// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Redirects calls that may be approximate to approximate functions, and on CPUs native_ and half_
// functions to those without the prefix.
class RelaxMathPass : public RequiredPass<RelaxMathPass> {
public:
  explicit RelaxMathPass(bool is_cpu) : is_cpu_(is_cpu) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  bool is_cpu_;
};

// Replaces the addresses of enqueued blocks by their names.
class NameBlocksPass : public RequiredPass<NameBlocksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace lockstep::compiler
