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
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses HideLowMasksPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  using namespace llvm::PatternMatch;
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *x = nullptr;
    const llvm::APInt *mask = nullptr;
    if (!loops.getLoopFor(instruction.getParent()) || !instruction.getType()->isIntegerTy() ||
        !match(&instruction, m_And(m_Value(x), m_LowBitMask(mask))) || mask->isAllOnes())
      continue;
    llvm::IRBuilder<> builder(&instruction);
    unsigned above = mask->countl_zero();
    instruction.replaceAllUsesWith(
        builder.CreateLShr(builder.CreateShl(x, above), above, instruction.getName()));
    instruction.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
