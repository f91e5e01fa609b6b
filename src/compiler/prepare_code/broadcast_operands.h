// Replaces the broadcast of a scalar sum by a vector sum of broadcasts, where that saves an
// instruction.
//
//     float3 to = (box->low - origin) * reciprocal; // `box` and `origin` are those of the sub-group
//
// A value that is uniform in the sub-group is computed once, and its result is broadcast where
// lanes need it: `vsubss`, then `vbroadcastss` of a register. That is a shuffle, of which a core
// does one or two per cycle. A broadcast from memory needs no shuffle, and can be part of the
// instruction: `vaddps` with a broadcast memory operand.
//
// Requires: the function of a work-group after all optimization.
// Ensures: `splat(load op invariant)` in a loop becomes `splat(load) op splat(invariant)`, with the
// second splat outside of the loop, if the load and the operation have no other users. The
// operation is a sum, a difference or a product. `a - b` becomes `a + -b`, which is the same
// number, so that the load can be the memory operand.
//
// Position: last, since InstCombine would restore the scalar form.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class BroadcastOperandsPass : public llvm::PassInfoMixin<BroadcastOperandsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
