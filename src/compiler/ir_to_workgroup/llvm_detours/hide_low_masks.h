// Spells `x & 3` as shifts while LLVM vectorises loops.
//
// LLVM 22.1.8 miscompiles loops over `a[base + (i & 3)]` with a 32-bit index (plain C at -O3, too):
// scalar evolution takes the masked counter for an induction variable of two bits that would have
// to be checked for wrapping, the vectoriser loses that check, and lanes load a[base + 4],
// a[base + 5] and so on. Masks of two to five bits were seen to fail; all low masks are rewritten.
// Shifts it does not look through.
//
// Input:  any function, just before the loop vectoriser.
// Output: in loops, `and` with a constant of low bits is a shift to the left and one to the right.
//         InstCombine, which follows the vectoriser, makes them masks again.
//
// What runs in lanes is vectorised before; this is for loops that are the same for all lanes, and
// for kernels whose sub-groups are one work-item.
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
