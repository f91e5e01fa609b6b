// Lets values that live across different suspensions share a place in the frame.
//
// Input:  the coroutine of make-coroutine, before LLVM splits it.
// Output: a large value that is needed after one suspension is stored to a variable right before it
//         and loaded right after it. So a variable serves another value at each suspension, and
//         the frame holds as many as live across the suspension with the most of them. LLVM gives
//         each value a place of its own; unrolled loops with barriers have many.
//
// A value keeps its own place where control can come from before the suspension to a use behind it
// by another way (a wait in a loop): it need not be stored again in each round.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ShareFramePlacesPass : public llvm::PassInfoMixin<ShareFramePlacesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
