// Replaces `x & 3` by shifts while LLVM vectorizes loops.
//
// LLVM 22.1.8 miscompiles loops over `a[base + (i & 3)]` with a 32-bit index (plain C at -O3, too).
// Scalar evolution models the masked counter as an induction variable of two bits that needs a
// check for wrapping. The vectorizer drops that check, and lanes load a[base + 4], a[base + 5] and
// so on. Masks of two to five bits were seen to fail; all low masks are rewritten. The vectorizer
// does not look through shifts.
//
// Requires: any function, just before the loop vectorizer.
// Ensures: in loops, an `and` with a constant of low bits is a left shift and a right shift.
// InstCombine, which follows the vectorizer, restores the masks.
//
// Code that runs in lanes is vectorized before. This pass is for uniform loops, and for kernels
// whose sub-groups are one work-item.
//
// Upstream: llvm/llvm-project#156849.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class HideLowMasksPass : public llvm::PassInfoMixin<HideLowMasksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
