// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

#include <cstdint>

namespace lockstep::compiler {

// Keeps the accesses of a checked kernel within bounds.
class GuardAccessesPass : public RequiredPass<GuardAccessesPass> {
public:
  explicit GuardAccessesPass(uint64_t failed_assumptions = 0) : failed_(failed_assumptions) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  uint64_t failed_;
};

// Keeps the accesses of a checked kernel within bounds.
class GuardOwnAccessesPass : public RequiredPass<GuardOwnAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
