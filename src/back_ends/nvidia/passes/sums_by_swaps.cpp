#include "back_ends/nvidia/passes/sums_by_swaps.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

llvm::Value *add_by_swaps(llvm::AtomicRMWInst &sum, llvm::Instruction &where) {
  llvm::BasicBlock *before = where.getParent();
  llvm::BasicBlock *behind = llvm::SplitBlock(before, &where);
  auto *loop = llvm::BasicBlock::Create(sum.getContext(), "swap", sum.getFunction(), behind);
  llvm::IRBuilder<> builder(before->getTerminator());
  llvm::Type *word = builder.getIntNTy(sum.getType()->getScalarSizeInBits());
  auto *first = builder.CreateAlignedLoad(word, sum.getPointerOperand(), sum.getAlign());
  first->setAtomic(llvm::AtomicOrdering::Monotonic, sum.getSyncScopeID());
  first->setVolatile(sum.isVolatile());
  llvm::ReplaceInstWithInst(before->getTerminator(), llvm::BranchInst::Create(loop));
  builder.SetInsertPoint(loop);
  llvm::PHINode *seen = builder.CreatePHI(word, 2);
  seen->addIncoming(first, before);
  llvm::Value *old = builder.CreateBitCast(seen, sum.getType());
  llvm::Value *result = builder.CreateFAdd(old, sum.getValOperand());
  auto *swap = builder.CreateAtomicCmpXchg(
      sum.getPointerOperand(), seen, builder.CreateBitCast(result, word), sum.getAlign(),
      sum.getOrdering(), llvm::AtomicOrdering::Monotonic, sum.getSyncScopeID());
  swap->setVolatile(sum.isVolatile());
  seen->addIncoming(builder.CreateExtractValue(swap, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), behind, loop);
  return old;
}

} // namespace lockstep::compiler
