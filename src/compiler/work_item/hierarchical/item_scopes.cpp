#include "compiler/work_item/hierarchical/item_scopes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

bool is_call_of(const llvm::Instruction &instruction, const char *symbol) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == symbol;
}

llvm::SmallVector<llvm::CallInst *> calls_of(llvm::Module &module, const char *symbol) {
  llvm::SmallVector<llvm::CallInst *> calls;
  if (llvm::Function *function = module.getFunction(symbol))
    for (llvm::User *user : function->users())
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
        calls.push_back(call);
  return calls;
}

ItemScopes::ItemScopes(llvm::Module &module) {
  llvm::SmallVector<llvm::BasicBlock *> left;
  for (const char *symbol : {item_scope_begin, item_scope_end})
    for (llvm::CallInst *call : calls_of(module, symbol)) {
      llvm::SplitBlock(call->getParent(), call);
      llvm::SplitBlock(call->getParent(), call->getNextNode());
    }
  for (llvm::CallInst *begin : calls_of(module, item_scope_begin))
    left.push_back(begin->getParent()->getSingleSuccessor());
  while (!left.empty()) {
    llvm::BasicBlock *block = left.pop_back_val();
    if (is_call_of(block->front(), item_scope_end) || !blocks_.insert(block).second)
      continue;
    for (llvm::BasicBlock *next : llvm::successors(block))
      left.push_back(next);
  }
}

bool ItemScopes::contains(const llvm::Instruction &instruction) const {
  return blocks_.contains(instruction.getParent());
}

llvm::AllocaInst *variable_of(llvm::Value *address) {
  return llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

bool is_private_or_constant(const llvm::Value *address) {
  const llvm::Value *object = llvm::getUnderlyingObject(address);
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(object))
    return argument->hasByValAttr();
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return llvm::isa<llvm::AllocaInst>(object) || (variable && variable->isConstant());
}

} // namespace lockstep::compiler
