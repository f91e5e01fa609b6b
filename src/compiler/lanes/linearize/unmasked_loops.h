// Gives grid-stride loops a version without masks, for iterations in which all lanes take part.
//
// In `for (i = get_global_id(0); i < n; i += get_global_size(0))` the lanes of a sub-group leave in
// iterations that differ by one. The loop is divergent, and linearize would mask each iteration
// because of the last. This pass makes two versions:
//
//   all lanes enter?  ─ yes ─>  while all lanes continue: the loop without masks
//        │ no                          │ no longer
//        v                             v
//   the guard, per lane  ──>  the original loop, from the current iteration  ──>  code behind it
//
// `__lockstep_all_lanes(i1)` tests whether all lanes continue. It is true only if the argument is
// true in all lanes, but it may return false at any time, since the original loop can continue
// anywhere. interleave-sub-groups uses this: several sub-groups stay while all of them can.
//
// Input:  the kernel as canonicalize-flow leaves it.
// Output: both versions of each innermost loop that all lanes reach, or all but for one guard in
//         front (loop rotation adds it to a `for`). The loop must have one exit, decided by an
//         index with constant distances between lanes. Lanes of other loops leave at unrelated
//         iterations.
//
// Runs before linearize. Vector variants (functions/vector_variants.h) keep their loops, since they
// may run without an active lane.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class UnmaskedLoopsPass : public llvm::PassInfoMixin<UnmaskedLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
