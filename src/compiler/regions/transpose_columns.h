// Unrolls loops in which each work-item walks along its own row, and accesses whole rows.
//
//     for (k = 0; k < n; k++) sum += a[row * n + k];
//
// Lanes are rows here. Each iteration gathers a column: one element from each of 16 cache lines,
// and the same lines in the next 15 iterations. If rows are a power of two long, these lines
// compete for a few ways of the cache. With 16 iterations at once, each lane's row is one load, and
// the vectors are transposed in registers (transposed_accesses.h, with iterations in place of
// sub-groups).
//
// Requires: the function of a work-group with its loops over sub-groups. Only innermost loops of
// one block change, whose unmasked gathers (or scatters) access in each iteration the element after
// that of the previous one. A loop with scatters has no other memory accesses.
// Ensures: the loop runs as many iterations at once as elements fit in 64 bytes, at most one per
// lane; remaining iterations gather as before. A row is read as far as the original loop reads it,
// no further.
//
// All loads of the combined iterations precede their stores. Without `restrict`, a check before the
// loop runs the original if a store may overlap a later load. The original also runs if an unsigned
// 32-bit index wraps in some lane.
//
// Position: after interleave-sub-groups, which decides by the original loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class TransposeColumnsPass : public llvm::PassInfoMixin<TransposeColumnsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
