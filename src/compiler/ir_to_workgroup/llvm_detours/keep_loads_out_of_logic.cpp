#include "compiler/ir_to_workgroup/llvm_detours/keep_loads_out_of_logic.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

// A load whose only user, but for casts of the same bits, is an and, or, xor: others are not taken
// into an instruction.
bool is_operand_of_logic(const llvm::LoadInst &load) {
  const llvm::Instruction *value = &load;
  while (value->hasOneUse()) {
    auto *user = llvm::cast<llvm::Instruction>(*value->user_begin());
    if (user->isBitwiseLogicOp())
      return user->getType()->isVectorTy();
    if (!llvm::isa<llvm::BitCastInst>(user))
      return false;
    value = user;
  }
  return false;
}

} // namespace

llvm::PreservedAnalyses KeepLoadsOutOfLogicPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  if (!target_.getMCSubtargetInfo()->checkFeatures("+avx512f"))
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::LoadInst *> loads;
  bool has_masks = false; // without a select by a mask nothing is masked
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    has_masks |= select && select->getCondition()->getType()->isVectorTy();
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load && load->getType()->isVectorTy() && is_operand_of_logic(*load))
      loads.push_back(load);
  }
  if (!has_masks || loads.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::LoadInst *load : loads) {
    llvm::IRBuilder<> builder(load->getNextNode());
    auto *kept = llvm::cast<llvm::Instruction>(builder.CreateFreeze(load, "kept"));
    load->replaceUsesWithIf(kept, [&](const llvm::Use &use) { return use.getUser() != kept; });
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
