#include "compiler/prepare_code/workarounds/llvm22/hide_low_masks.h"

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
