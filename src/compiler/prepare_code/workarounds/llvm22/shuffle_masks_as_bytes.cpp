// Shuffles masks of more than 64 elements as bytes.
//
// LLVM 22's code generator for x86 aborts on some shuffles of i1 with more results than 64: "Do not
// know how to promote this operator's operand!". Byte accesses with gaps spread the mask of the
// lanes like this. The packetizer cannot avoid them: InstCombine makes one shuffle of shorter ones.
//
// Requires: any function.
// Ensures: no shuffle of i1 has more than 64 results, except those that concatenate or extend.
//
// Position: last, since InstCombine makes shuffles of i1 from those of bytes.
//
// Upstream: docs/upstream/llvm-x86-wide-mask-shuffle.md.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned most_elements = 64; // of a mask that LLVM shuffles

bool may_fail(const llvm::ShuffleVectorInst &shuffle) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(shuffle.getType());
  return type && type->getElementType()->isIntegerTy(1) && type->getNumElements() > most_elements &&
         !shuffle.isConcat() && !shuffle.isIdentityWithPadding();
}

} // namespace

llvm::PreservedAnalyses ShuffleMasksAsBytesPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::ShuffleVectorInst *> shuffles;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
        shuffle && may_fail(*shuffle))
      shuffles.push_back(shuffle);
  for (llvm::ShuffleVectorInst *shuffle : shuffles) {
    llvm::IRBuilder<> builder(shuffle);
    llvm::Value *operands[2];
    for (unsigned index : {0u, 1u}) {
      llvm::Value *mask = shuffle->getOperand(index);
      operands[index] = builder.CreateSExt(
          mask, llvm::VectorType::get(builder.getInt8Ty(),
                                      llvm::cast<llvm::VectorType>(mask->getType())));
    }
    llvm::Value *bytes =
        builder.CreateShuffleVector(operands[0], operands[1], shuffle->getShuffleMask());
    llvm::Value *mask = builder.CreateICmpSLT(bytes, llvm::Constant::getNullValue(bytes->getType()),
                                              shuffle->getName());
    shuffle->replaceAllUsesWith(mask);
    shuffle->eraseFromParent();
  }
  if (shuffles.empty())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
