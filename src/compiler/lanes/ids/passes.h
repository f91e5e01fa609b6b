// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Simplifies quotients, remainders, shifts and masks of sums of ids.
class UsedBitsPass : public LanePass<UsedBitsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Restores casts and sums that InstCombine has turned into shifts, masks and disjoint ors.
class RestoreCastsPass : public LanePass<RestoreCastsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
