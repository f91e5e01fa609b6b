// Breaks long sums that loop strength reduction would try to put together in every way.
//
// For each sum with an induction variable in it, LLVM 22 tries to keep each single term and each two of them in registers of
// their own: a chain of n sums, each of which is used, takes time by the fourth power of n. 128 terms need 20 seconds (in
// plain C as well). It passes over terms that are unknown in each round, but not over those that are negated or extended.
// Such chains come from atomics on one place in local memory, which are sums over the lanes of all sub-groups that run at
// once, and from loops that are unrolled.
//
// Input:  any function.
// Output: sums of more than 16 terms are behind a freeze where a loop counts one of the terms up, or uses the sum from
//         outside: what follows begins a new sum. A freeze has no instruction.
//
// Last: InstCombine removes a freeze of what is never poison.
//
// Upstream: none found; tests/passes/break-long-sums/llvm_still_needs_it.ll holds the text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class BreakLongSumsPass : public llvm::PassInfoMixin<BreakLongSumsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
