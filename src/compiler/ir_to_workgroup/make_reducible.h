// Makes irreducible control flow reducible: afterwards every cycle is a natural loop.
//
// Requires: any function, kernel or kept function.
// Ensures:  the same behaviour; every cycle has one entry. A function without irreducible cycles stays as it is.
//
// A cycle with several entries gets a dispatch block, to which the edges into all entries lead from outside. A selector says
// which entry comes next:
//
//     entry -> a, entry -> b, a <-> b      becomes      dispatch: selector = phi; br selector, a, b
//
// An iteration ends
//   - in a cycle without group operations, at the edges back to its first entry (then the cycles that remain in it are
//     made reducible in turn);
//   - in a cycle with barriers or other group operations, at all edges behind these. Work-items enter such a cycle at
//     different places and meet at its first barrier: so they must be there in the same iteration of the loop, with all
//     lanes, and go on from there together. A loop that began at one entry would let some lanes reach the barrier one
//     iteration before the others.
// Natural loops stay: OpenCL has all work-items run a loop with a barrier equally often (OpenCL C 6.15.8).
//
// LLVM's FixIrreducible does neither: it knows no barriers, and LLVM 22's loses an edge (llvm/llvm-project#191979, fixed
// in LLVM 23; tests/passes/make-reducible/llvm_still_needs_it.ll).
//
// mark-waits and canonicalise-flow run it first, since they look at loops.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MakeReduciblePass : public llvm::PassInfoMixin<MakeReduciblePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
