#include "tools/lockstep++/static_local_memory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::driver {
namespace {

constexpr unsigned local_space = 3;

bool is_group_variable(llvm::Type *type) {
  auto *record = llvm::dyn_cast<llvm::StructType>(type);
  // clang appends a number to the names of further instances of the template.
  return record && !record->isLiteral() &&
         record->getName().starts_with("class.sycl::ext::oneapi::experimental::work_group_static");
}

// A variable in local memory, as an address of the type of `old`.
llvm::Constant *local_variable(llvm::Module &module, llvm::Type *type, const llvm::Value &old,
                               llvm::MaybeAlign alignment) {
  auto *variable = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage,
                                            llvm::UndefValue::get(type), old.getName(), nullptr,
                                            llvm::GlobalValue::NotThreadLocal, local_space);
  variable->setAlignment(alignment);
  return llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(variable, old.getType());
}

void move(llvm::AllocaInst &variable) {
  for (llvm::User *user : llvm::make_early_inc_range(variable.users()))
    if (auto *call = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user))
      call->eraseFromParent();
  variable.replaceAllUsesWith(local_variable(*variable.getModule(), variable.getAllocatedType(),
                                             variable, variable.getAlign()));
  variable.eraseFromParent();
}

} // namespace

void move_to_local_memory(llvm::Module &module) {
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals()))
    if (is_group_variable(variable.getValueType()) && variable.getAddressSpace() != local_space) {
      variable.replaceAllUsesWith(
          local_variable(module, variable.getValueType(), variable, variable.getAlign()));
      variable.eraseFromParent();
    }
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
          variable && is_group_variable(variable->getAllocatedType()))
        move(*variable);
}

} // namespace lockstep::driver
