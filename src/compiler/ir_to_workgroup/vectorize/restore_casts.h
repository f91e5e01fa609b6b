// Writes narrow index arithmetic as casts and sums again.
//
// Input:  the kernel of one work-item after scalar optimisation, where InstCombine has turned
//         `(long)(int)x` into `(x << 32) >> 32`, `(long)((int)x + 1)` into `((x << 32) + (1 << 32)) >> 32`
//         and `(ulong)(uint)x` into `x & 0xffffffff`.
// Output: the same with trunc and sext or zext; sums that were written as "or disjoint" are sums.
//
// Lane shapes can follow a cast (its distances are kept, or assumed to be) but not a shift to the
// right.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class RestoreCastsPass : public llvm::PassInfoMixin<RestoreCastsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
