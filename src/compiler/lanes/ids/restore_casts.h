// Restores casts and sums that InstCombine has turned into shifts, masks and disjoint ors.
//
// Input:  the kernel of one work-item after scalar optimization. InstCombine has turned
//         `(long)(int)x` into `(x << 32) >> 32`, `(long)((int)x + 1)` into `((x << 32) + (1 << 32))
//         >> 32` and `(ulong)(uint)x` into `x & 0xffffffff`.
// Output: the same values computed with trunc and sext or zext. An "or disjoint" becomes a sum.
//
// Lane shapes can be propagated through a cast (distances are preserved, or assumed to be), but not
// through a right shift.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class RestoreCastsPass : public llvm::PassInfoMixin<RestoreCastsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
