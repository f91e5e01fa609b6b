// Hoists loop-invariant integer divisions out of loops before LLVM vectorizes the loops.
//
// The loop vectorizer of LLVM 22 computes a division of two loop invariants once per vector, as it
// is uniform. If a condition in the loop guards the division, it is computed only if the condition
// holds in lane 0, but the other lanes use it, too (in plain C as well):
//
//     for (...) if ((i & 3) != 1) sum += table[32768 / divisor];
//
// Requires: any function, just before the loop vectorizer.
// Ensures: divisions of invariants are before their outermost such loop. Their divisor cannot trap:
// it is 1 where the division had no result.
//
// LICM does not hoist them, as they must not execute unless the loop reaches them.
//
// Upstream: none found; tests/passes/hoist-invariant-divisions/llvm_still_needs_it.ll holds the
// text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class HoistInvariantDivisionsPass : public llvm::PassInfoMixin<HoistInvariantDivisionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
