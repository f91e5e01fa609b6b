// Brings control flow into the form that linearize requires.
//
// Input:  the kernel of one work-item.
// Output: one return block; no unreachable, no switch, no conditional branch with equal targets.
//         The flow is reducible. Each loop has a preheader, one latch and dedicated exits. An
//         endless loop without group operations gets an exit. Values leave loops through phis
//         (LCSSA).
//
// Runs after lane-ids and split-vectors, since these passes may add loops and switches.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CanonicalizeFlowPass : public llvm::PassInfoMixin<CanonicalizeFlowPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
