// Breaks long sums that loop strength reduction would reassociate in every possible way.
//
// For each sum with an induction variable, LLVM 22 tries to keep each single term and each pair of
// terms in separate registers. A chain of n sums, each of which is used, takes time proportional to
// n^4: 128 terms need 20 seconds (in plain C as well). LLVM skips terms that are loop-variant
// unknowns, but not negated or extended ones. Such chains come from atomics on one address in local
// memory, which are sums over the lanes of all interleaved sub-groups, and from unrolled loops.
//
// Requires: any function.
// Ensures: sums of more than 16 terms are behind a freeze if one of the terms is an induction
// variable, or if a loop uses the sum from outside. The users of the freeze begin a new sum. A
// freeze costs no instruction.
//
// Position: last, since InstCombine removes a freeze of a value that is never poison.
//
// Upstream: none found; tests/passes/break-long-sums/llvm_still_needs_it.ll holds the text of a
// report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class BreakLongSumsPass : public llvm::PassInfoMixin<BreakLongSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
