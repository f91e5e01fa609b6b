// Takes integer divisions that are the same in each round out of loops before LLVM vectorises them.
//
// The loop vectoriser of LLVM 22 computes a division of two loop invariants once for a vector, as
// it is uniform. Where a condition in the loop guards it, the one is computed if the condition
// holds in lane 0, and the other lanes use it, too (in plain C as well):
//
//     for (...) if ((i & 3) != 1) sum += table[32768 / divisor];
//
// Input:  any function, just before the loop vectoriser.
// Output: divisions of invariants stand before their outermost such loop, by a divisor that cannot
//         trap: 1 where the division had no result.
//
// LICM leaves them where they are, as they must not run unless the loop gets to them.
//
// Upstream: none found; tests/passes/hoist-invariant-divisions/llvm_still_needs_it.ll holds the text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class HoistInvariantDivisionsPass : public llvm::PassInfoMixin<HoistInvariantDivisionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
