// Turns divergent control flow into masks: afterwards all lanes of a sub-group go the same way.
//
// Input:  the kernel of one work-item after lane-ids and interleave-private, as canonicalise-flow
//         leaves it.
// Output: no branch differs between lanes. A block in which not all lanes need be active begins
//         with a call of `__lockstep_mask(i1)`; what it does to memory is meant for the lanes where
//         the argument is true. A block that touches memory runs only if one lane is active (so a
//         load through a uniform address is safe). Values that differ by the way a lane came are
//         selected by masks.
//
// Uniform branches stay branches, also inside divergent parts. The successors of a divergent branch
// are put into one line: the earlier (in the order of LaneFlow) follows, the other one is deferred
// and every block on the way passes it on until it is the next in line (partial control-flow
// linearisation, Moll and Hack 2018). In front of a block whose lanes may all be inactive and that
// is not cheap, a test of the mask skips it with all that it dominates.
//
// A divergent loop gets one latch ("continue"), which runs the loop again while one lane wants to,
// and one exit
// ("exit"), from which the loop's exit blocks follow in line. A lane that leaves is gone from the
// masks; what it takes along is kept where the loop's later iterations do not touch it.
//
// Masks and selected values are variables first: set to false (or poison) where the loop iteration
// begins that they belong to, changed on each edge, promoted to SSA values at the end. That keeps
// each rule local to one edge.
//
// Before packetise, which needs to know nothing about control flow.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LinearizePass : public llvm::PassInfoMixin<LinearizePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
