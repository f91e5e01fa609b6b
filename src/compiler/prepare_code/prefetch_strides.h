// Prefetches what later iterations of a loop will load, where the processor cannot see it in time.
//
//     for (i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[values[i]]);
//
// An iteration of several sub-groups loads one cache line and executes more instructions than the
// processor looks ahead. The next iteration's line is in another page, where the processor's
// prefetchers do not follow. So each iteration waits for memory. Linear loops, and loops with
// iterations so short that several are in flight at once, are left to the processor. Prefetches
// gained nothing there when measured.
//
// Requires: the function of a work-group after all optimization.
// Ensures: `llvm.prefetch` of the line that a load needs some iterations later, once for loads of
// the same line. Only innermost loops change, and only loads that execute in each iteration get a
// prefetch. Lines behind the last iteration are fetched too, maybe outside of all buffers: a
// prefetch does not fault.
//
// Position: last, so that SCEV reads the strides of the final code.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PrefetchStridesPass : public llvm::PassInfoMixin<PrefetchStridesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
