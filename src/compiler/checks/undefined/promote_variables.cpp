#include "compiler/checks/undefined/promote_variables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

void access_directly(llvm::AllocaInst &variable) {
  for (llvm::User *user : llvm::make_early_inc_range(variable.users())) {
    auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(user);
    if (!cast)
      continue;
    for (llvm::Use &use : llvm::make_early_inc_range(cast->uses()))
      if (use.get() == llvm::getLoadStorePointerOperand(use.getUser()) &&
          (llvm::isa<llvm::LoadInst>(use.getUser()) ||
           use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex()))
        use.set(&variable);
    if (cast->use_empty())
      cast->eraseFromParent();
  }
}

void promote_pointers(llvm::Function &function) {
  for (llvm::Instruction &instruction : function.getEntryBlock())
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        variable && variable->getAllocatedType()->isPointerTy())
      access_directly(*variable);
  llvm::SmallVector<llvm::AllocaInst *> variables;
  for (llvm::Instruction &instruction : function.getEntryBlock())
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        variable && variable->getAllocatedType()->isPointerTy() &&
        llvm::isAllocaPromotable(variable))
      variables.push_back(variable);
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(variables, dominators);
}

} // namespace lockstep::compiler
