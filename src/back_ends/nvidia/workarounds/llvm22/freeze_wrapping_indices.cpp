// Keeps LLVM from dropping the wrap of a narrow index.
//
// LLVM 22's straight-line strength reduction, which NVPTX runs, takes sext(a + 5) for sext(a) + 5
// if it knows an address with sext(a). It does not ask whether the sum may wrap. A kernel with a
// short index that wraps read behind its buffer on a card.
//
// Requires: optimized IR.
// Ensures: a sum or a truncation that may wrap is frozen before it is sign-extended. The pass does
// not look through this.
//
// Position: after the optimization, which would remove some of them.
//
// Upstream: not reported; docs/upstream/llvm-slsr-wrapping-index.md is the text of a report.
#include "back_ends/nvidia/workarounds/llvm22/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

static bool may_wrap(const llvm::Value *value) {
  if (auto *cut = llvm::dyn_cast<llvm::TruncInst>(value))
    return !cut->hasNoSignedWrap();
  auto *sum = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
  return sum && !sum->hasNoSignedWrap();
}

llvm::PreservedAnalyses FreezeWrappingIndicesPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::SExtInst *> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *extended = llvm::dyn_cast<llvm::SExtInst>(&instruction);
        extended && may_wrap(extended->getOperand(0)))
      found.push_back(extended);
  for (llvm::SExtInst *extended : found) {
    llvm::IRBuilder<> builder(extended);
    extended->setOperand(0, builder.CreateFreeze(extended->getOperand(0)));
  }
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
