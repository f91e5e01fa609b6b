#include "compiler/prepare_code/set_nsz.h"

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
