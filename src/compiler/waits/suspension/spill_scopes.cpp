#include "compiler/waits/suspension/spill_scopes.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"

namespace lockstep::compiler {

namespace {

bool is_of_kept_value(const llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->getName().contains(".reload") &&
           load->getPointerOperand()->getName().contains(".reload.addr");
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->getPointerOperand()->getName().contains(".spill.addr");
}

} // namespace

void add_spill_scopes(llvm::Function &function) {
  llvm::MDBuilder metadata(function.getContext());
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("lockstep.frame");
  llvm::MDNode *kept = llvm::MDNode::get(
      function.getContext(), {metadata.createAnonymousAliasScope(domain, "lockstep.kept")});
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    if (!instruction.mayReadOrWriteMemory())
      continue;
    unsigned kind = is_of_kept_value(instruction) ? llvm::LLVMContext::MD_alias_scope
                                                  : llvm::LLVMContext::MD_noalias;
    instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), kept));
  }
}

} // namespace lockstep::compiler
