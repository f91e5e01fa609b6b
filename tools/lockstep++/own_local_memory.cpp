#include "tools/lockstep++/own_local_memory.h"

#include "tools/lockstep++/kernel_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace lockstep::driver {
namespace {

constexpr unsigned local_space = 3;

llvm::SetVector<llvm::GlobalVariable *> local_variables_of(llvm::Function &function) {
  llvm::SetVector<llvm::GlobalVariable *> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    for (llvm::Value *operand : instruction.operands())
      if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(operand->stripPointerCasts());
          variable && variable->getAddressSpace() == local_space)
        found.insert(variable);
  return found;
}

llvm::Function *copy_of(llvm::Function &function) {
  llvm::ValueToValueMapTy values;
  for (llvm::GlobalVariable *variable : local_variables_of(function)) {
    auto *own = new llvm::GlobalVariable(*function.getParent(), variable->getValueType(),
                                         variable->isConstant(), llvm::GlobalValue::InternalLinkage,
                                         variable->getInitializer(), variable->getName(), nullptr,
                                         llvm::GlobalValue::NotThreadLocal, local_space);
    own->setAlignment(variable->getAlign());
    values[variable] = own;
  }
  llvm::Function *copy = llvm::CloneFunction(&function, values);
  // The copies of different sources must not be merged.
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setComdat(nullptr);
  return copy;
}

} // namespace

void give_calls_own_local_memory(llvm::Module &module) {
  for (llvm::Function *function : functions_annotated(module, "lockstep.own_local_memory")) {
    if (function->isDeclaration())
      continue;
    llvm::SmallVector<llvm::CallBase *> calls;
    for (llvm::User *user : function->users())
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
        calls.push_back(call);
    for (llvm::CallBase *call : calls)
      call->setCalledFunction(copy_of(*function));
  }
}

} // namespace lockstep::driver
