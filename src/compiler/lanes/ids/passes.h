// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Simplifies operations that select a part of an index, and restores narrow indices.
class SimplifyIndicesPass : public LanePass<SimplifyIndicesPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Gives code whose position is a quotient and a remainder of a linear id a version for whole rows.
class SplitLinearIdsPass : public LanePass<SplitLinearIdsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
