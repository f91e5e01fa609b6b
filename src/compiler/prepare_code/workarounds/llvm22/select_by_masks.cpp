// Replaces the extension of a mask of 64 lanes by a select.
//
// LLVM 22's code generator for AVX-512 does not terminate on `zext <64 x i1> ((x & constant) |
// constant)` with arithmetic after it, if it can tell that later lanes are 0: it splits the
// extension and combines it again. `select mask, 1, 0` is equivalent, and is left alone.
//
// Requires: any function.
// Ensures: no zext or sext of a vector of 64 or more i1 is left.
//
// Position: last, since InstCombine turns such selects into extensions.
//
// Upstream: not known; tests/passes/select-by-masks/llvm_still_needs_it.ll holds the text of a
// report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "compiler/target_model/target_model.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

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
  if (!target_model(target_)->needs(Workaround::select_by_masks))
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
