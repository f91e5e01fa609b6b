// Gives loops over strided data a version in which all lanes take part.
//
// In `for (i = get_global_id(0); i < n; i += get_global_size(0))` the lanes of a sub-group leave
// the loop in different iterations, by one: it is a divergent loop, and linearise would give each
// iteration a mask for the sake of the last. So the loop is there twice afterwards:
//
//   all lanes enter?  ─ yes ─>  while all lanes go on: the loop without masks
//        │ no                          │ no longer
//        v                             v
//   the guard: each lane for itself  ──>  the loop as it was, from where they are  ──>  behind it
//
// "All lanes go on" is asked by `__lockstep_all_lanes(i1)`: true only if the argument is true in
// all lanes, but it may be answered with false at any time, since the loop as it was goes on from
// anywhere. jam-sub-groups uses that freedom: several sub-groups stay while all of them can.
//
// Input:  the kernel as canonicalise-flow leaves it. Only innermost loops that all lanes reach, or
//         all but for one guard in front (what loop rotation makes of a `for`), with one way out,
//         decided by an index that differs between lanes by a constant: others' lanes leave at
//         iterations that have nothing to do with each other. Before linearise. Functions that are
//         kept (vectorize/lane_functions.h) keep their loops: in them no lane needs to be active.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class FullLaneLoopsPass : public llvm::PassInfoMixin<FullLaneLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
