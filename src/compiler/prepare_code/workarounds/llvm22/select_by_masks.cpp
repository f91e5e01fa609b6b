#include "compiler/prepare_code/workarounds/llvm22/select_by_masks.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned lanes_of_mask_register = 64;

bool extends_large_mask(const llvm::Instruction &instruction) {
  if (!llvm::isa<llvm::ZExtInst, llvm::SExtInst>(instruction))
    return false;
  auto *mask = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getOperand(0)->getType());
  return mask && mask->getElementType()->isIntegerTy(1) &&
         mask->getNumElements() >= lanes_of_mask_register;
}

} // namespace

llvm::PreservedAnalyses SelectByMasksPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  if (!target_.getMCSubtargetInfo()->checkFeatures("+avx512bw"))
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!extends_large_mask(instruction))
      continue;
    llvm::Type *type = instruction.getType();
    llvm::Value *set = llvm::isa<llvm::SExtInst>(instruction)
                           ? llvm::Constant::getAllOnesValue(type)
                           : llvm::ConstantInt::get(type, 1);
    auto *select =
        llvm::SelectInst::Create(instruction.getOperand(0), set, llvm::Constant::getNullValue(type),
                                 "", instruction.getIterator());
    select->setDebugLoc(instruction.getDebugLoc());
    select->takeName(&instruction);
    instruction.replaceAllUsesWith(select);
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
