// Makes irreducible control flow reducible: afterwards every cycle is a natural loop.
//
// Requires: any function: a kernel or an out-of-line function.
// Ensures: the same behavior; every cycle has one entry. A function without irreducible cycles does
// not change.
//
// A cycle with several entries gets a dispatch block, which becomes the target of all edges into
// the cycle. A selector decides which entry is next:
//
//     entry -> a, entry -> b, a <-> b      becomes      dispatch: selector = phi; br selector, a, b
//
// An iteration ends as follows:
// - In a cycle without group operations, at the edges back to its first entry. Irreducible cycles
//   that remain inside are handled next.
// - In a cycle with barriers or other group operations, at all edges out of their blocks.
//   Work-items enter such a cycle at different entries and meet at its first barrier. So all lanes
//   must reach it in the same iteration and continue from there together. A loop that begins at one
//   entry would let some lanes reach the barrier one iteration before the others.
//
// Natural loops do not change: OpenCL requires that all work-items iterate a loop with a barrier
// equally often (OpenCL C 6.15.8).
//
// LLVM's FixIrreducible does not know barriers, and LLVM 22's loses an edge
// (llvm/llvm-project#191979, fixed in LLVM 23; tests/passes/make-reducible/llvm_still_needs_it.ll).
// mark-waits and canonicalize-flow run this pass first, since they analyze loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MakeReduciblePass : public llvm::PassInfoMixin<MakeReduciblePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
