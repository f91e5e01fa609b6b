#include "compiler/ir_to_workgroup/check/mark_user_code.h"

#include "compiler/ir_to_workgroup/check/undefined_calls.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Of which each work-item's argument decides what all get. Shuffles only copy.
bool is_collective(llvm::StringRef name) {
  unsigned length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length))
    return false;
  name = name.take_front(length);
  if (!name.consume_front("work_group_") && !name.consume_front("sub_group_"))
    return false;
  for (llvm::StringRef kind :
       {"all", "any", "broadcast", "reduce_", "scan_", "non_uniform_", "ballot", "clustered_"})
    if (name.starts_with(kind))
      return true;
  return false;
}

void use_arguments(llvm::CallInst &call) {
  llvm::IRBuilder<> builder(&call);
  for (llvm::Value *argument : call.args()) {
    llvm::Type *type = argument->getType();
    if (llvm::isa<llvm::Constant>(argument) ||
        !(type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()))
      continue;
    auto callee = call.getModule()->getOrInsertFunction(name_for(collective_use_name, *type),
                                                        builder.getVoidTy(), type);
    builder.CreateCall(callee, {argument})->setDoesNotThrow();
  }
}

} // namespace

llvm::PreservedAnalyses MarkUserCodePass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::MDNode *mark = llvm::MDNode::get(module.getContext(), {});
  llvm::SmallVector<llvm::CallInst *> collectives;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::BranchInst, llvm::SwitchInst, llvm::LoadInst, llvm::StoreInst>(
              instruction))
        instruction.setMetadata(user_code, mark);
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && call->getCalledFunction() && is_collective(call->getCalledFunction()->getName()))
        collectives.push_back(call);
    }
  for (llvm::CallInst *call : collectives)
    use_arguments(*call);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
