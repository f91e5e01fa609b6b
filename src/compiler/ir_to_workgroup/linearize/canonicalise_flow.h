// Brings control flow into the form that linearise reads.
//
// Input:  the kernel of one work-item.
// Output: one return block, no unreachable, no switch, no branch with twice the same target;
//         reducible; loops have one preheader, one latch and exits of their own, also those without
//         an end; values leave loops through phis (LCSSA).
//
// After the passes that add code to the kernel (lane-ids, split-vectors), since they may add loops
// and switches.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CanonicaliseFlowPass : public llvm::PassInfoMixin<CanonicaliseFlowPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
