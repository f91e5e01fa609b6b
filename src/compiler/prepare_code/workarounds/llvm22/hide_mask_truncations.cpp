// Hides from LLVM 22 that a mask is the lowest bits of a shuffle's result, on AArch64.
//
// Such a mask is built of single bytes that are read from the operands of the shuffle. If these are
// three or four vectors, the code generator makes one TBL of them. It takes them for vectors of 8
// or 16 bytes, but registers of SVE may be longer: then it does not select an instruction, and
// crashes. Here the mask is the sign of the values, shifted left.
//
// Requires: any function.
// Ensures: no truncation of a shuffle's result to a vector of i1.
//
// Position: after the passes that simplify, which would make the truncation again.
//
// Upstream: docs/upstream/llvm-aarch64-sve-mask-table.md.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses HideMaskTruncationsPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  if (!target_model(target_)->needs(Workaround::hide_mask_truncations))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::TruncInst *> truncations;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *truncation = llvm::dyn_cast<llvm::TruncInst>(&instruction);
        truncation && llvm::isa<llvm::FixedVectorType>(truncation->getType()) &&
        truncation->getType()->isIntOrIntVectorTy(1) &&
        llvm::isa<llvm::ShuffleVectorInst>(truncation->getOperand(0)))
      truncations.push_back(truncation);
  if (truncations.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::TruncInst *truncation : truncations) {
    llvm::IRBuilder<> builder(truncation);
    llvm::Value *const value = truncation->getOperand(0);
    llvm::Value *const lowest =
        builder.CreateShl(value, value->getType()->getScalarSizeInBits() - 1);
    truncation->replaceAllUsesWith(builder.CreateIsNeg(lowest));
    truncation->eraseFromParent();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
