// Lets fmin and fmax ignore the sign of zeros.
//
// libclc implements them by llvm.minimumnum and llvm.maximumnum, for which -0 is less than +0. x86
// has no such instruction, so LLVM orders the operands by their signs first: three of six
// instructions for a vector. OpenCL C (6.15.2) says which argument is returned if one is less, and
// if one is NaN. It says nothing about zeros, and IEEE 754-2008's minNum, on which it builds,
// leaves them open.
//
// Requires: any function.
// Ensures: such calls have the flag `nsz`.
//
// Position: late, so that no other pass uses the flag to change signs of zeros.
#include "compiler/prepare_code/passes.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses SetNszPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        call && (call->getIntrinsicID() == llvm::Intrinsic::minimumnum ||
                 call->getIntrinsicID() == llvm::Intrinsic::maximumnum))
      call->setHasNoSignedZeros(true);
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
