// Turns divergent control flow into masks, so that all lanes of a sub-group follow the same path.
//
// Input:  the kernel of one work-item after lane-ids and interleave-private, as canonicalize-flow
//         leaves it.
// Output: no branch differs between lanes. A block that may run with inactive lanes begins with a
//         call of `__lockstep_mask(i1)`; its memory operations apply to the lanes where the
//         argument is true. A block that accesses memory runs only if a lane is active, so a load
//         through a uniform address is safe. Values that depend on the path of a lane are selected
//         by masks.
//
// Uniform branches remain branches, also in divergent code. The successors of a divergent branch
// are placed one after the other. The first in LaneFlow's order follows; the other one is deferred,
// and blocks pass it on until it is next (partial control-flow linearization, Moll and Hack 2018).
// A test of the mask skips a block and all that it dominates if the mask may be empty and the code
// is not cheap.
//
// A divergent loop gets one latch ("again") and one exit ("exit"). The latch repeats the loop while
// any lane continues; the loop's exit blocks follow the exit in order. A lane that leaves is
// removed from the masks, and its live-out values are kept from later iterations.
//
// Masks and selected values are variables first. They are set to false or poison where their loop
// iteration begins, updated on each edge, and promoted to SSA values at the end. Each rule is thus
// local to one edge.
//
// Runs before packetize, which then handles no divergent control flow.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LinearizePass : public llvm::PassInfoMixin<LinearizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
