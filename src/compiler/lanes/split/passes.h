// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Expands copies, moves and fills of private memory into loads and stores of words.
class ExpandCopiesPass : public LanePass<ExpandCopiesPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Splits structures and arrays that are SSA values, so that each field becomes a vector over the
// lanes.
class SplitAggregatesPass : public RequiredPass<SplitAggregatesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

// Splits vector types into their elements, so that each element becomes a vector over the lanes.
class SplitVectorsPass : public LanePass<SplitVectorsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Shares private variables in which all lanes hold the same values.
class SharePrivateArraysPass : public RequiredPass<SharePrivateArraysPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Gives each lane its own copy of a private variable, interleaved over the lanes where possible.
class InterleavePrivatePass : public LanePass<InterleavePrivatePass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
