// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

#include <cstdint>

namespace lockstep::compiler {

// Promotes the variables that loops around a compare-and-swap change, so that update-loops finds the
// atomic updates that such loops are.
class PromoteSwapVariablesPass : public RequiredPass<PromoteSwapVariablesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Tracks undefined values through a kernel and checks where one decides something.
class TrackUndefinedPass : public RequiredPass<TrackUndefinedPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

// Treats the shadow of memory that turns out to be private as defined.
class DropPrivateShadowPass : public RequiredPass<DropPrivateShadowPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Lowers the shadow-access placeholders of track-undefined to loads and stores of shadow memory,
// and drops reports that can never fire.
class LowerUndefinedPass : public RequiredPass<LowerUndefinedPass> {
public:
  // As in Specialization.
  explicit LowerUndefinedPass(uint64_t defined_arguments = 0, uint64_t defined_members = 0)
      : defined_arguments_(defined_arguments), defined_members_(defined_members) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  const uint64_t defined_arguments_, defined_members_;
};

} // namespace lockstep::compiler
