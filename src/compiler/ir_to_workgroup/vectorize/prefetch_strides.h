// Fetches what later rounds of a loop will load, where the processor cannot see it in time.
//
//     for (i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[values[i]]);
//
// A round of several sub-groups loads one line of memory and does more with it than the processor looks ahead, and the next
// round's line lies in another page, where its own prefetchers do not follow. So each round waits for memory. Linear loops,
// and those whose rounds are so short that several of them are under way at once, are left to the processor: there, fetching
// by hand was measured to gain nothing.
//
// Input:  the function of a work-group after all optimisation.
// Output: `llvm.prefetch` of the line that a load needs some rounds later, once for loads of the same line. Innermost loops
//         only, and loads that each round makes. What lies behind the last round is fetched too, maybe from outside of all
//         buffers: a prefetch does not fault.
//
// Last: SCEV reads the strides off the code as it will be.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PrefetchStridesPass : public llvm::PassInfoMixin<PrefetchStridesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
