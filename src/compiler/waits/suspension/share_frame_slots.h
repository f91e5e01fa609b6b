// Lets values that are live across different suspensions share a slot in the frame.
//
// Input:  the coroutine of make-coroutine, before CoroSplit.
// Output: a large value that is used after a suspension is stored to a variable right before it and
//         loaded right after it. Each suspension may use the variable for another value, so the
//         frame needs only the maximum over all suspensions.
//
// LLVM gives each value a slot of its own, and unrolled loops with barriers have many values. A
// value keeps its own slot if a use behind the suspension is also reachable by another path from
// before the suspension, such as a wait in a loop. Otherwise each iteration would store it again.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ShareFrameSlotsPass : public llvm::PassInfoMixin<ShareFrameSlotsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
