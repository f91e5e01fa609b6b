// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"

namespace lockstep::compiler {

// Brings control flow into the form that linearize requires.
class CanonicalizeFlowPass : public LanePass<CanonicalizeFlowPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Merges loops with barriers that lanes leave at different iterations and enter again.
class MergeBarrierLoopsPass : public LanePass<MergeBarrierLoopsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Gives grid-stride loops a version without masks, for iterations in which all lanes take part.
class UnmaskedLoopsPass : public RequiredPass<UnmaskedLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

// Gives code behind a guard a version for sub-groups of which all work-items pass the guard.
class UnmaskedGuardsPass : public LanePass<UnmaskedGuardsPass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

// Turns divergent control flow into masks, so that all lanes of a sub-group follow the same path.
class LinearizePass : public LanePass<LinearizePass> {
public:
  llvm::PreservedAnalyses run_in_lanes(llvm::Function &function,
                                       llvm::FunctionAnalysisManager &analyses);
};

} // namespace lockstep::compiler
