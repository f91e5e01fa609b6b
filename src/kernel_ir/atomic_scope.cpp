#include "kernel_ir/atomic_scope.h"

#include "abi/address_spaces.h"
#include "kernel_ir/atomic_multiply.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

#include <optional>

namespace lockstep::compiler {

namespace {

const llvm::Value *pointer_of(const llvm::Instruction &access) {
  if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    return update->getPointerOperand();
  if (const auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return swap->getPointerOperand();
  return llvm::getLoadStorePointerOperand(&access);
}

} // namespace

bool stays_in_group(const llvm::Instruction &instruction) {
  if (const llvm::Value *pointer = pointer_of(instruction);
      pointer && pointer->getType()->getPointerAddressSpace() == local_space)
    return true;
  return llvm::getAtomicSyncScopeID(&instruction) &&
         written_scope(instruction) <= CheckScope::work_group;
}

bool is_hidden_from_host(const llvm::Instruction &instruction) {
  if (const auto product = atomic_multiply(instruction))
    return product->is_of_device;
  const std::optional<llvm::SyncScope::ID> scope = llvm::getAtomicSyncScopeID(&instruction);
  return scope && *scope != llvm::SyncScope::System;
}

CheckScope written_scope(const llvm::Instruction &instruction) {
  const std::optional<llvm::SyncScope::ID> scope = llvm::getAtomicSyncScopeID(&instruction);
  if (!scope || *scope == llvm::SyncScope::System)
    return CheckScope::device;
  if (*scope == llvm::SyncScope::SingleThread)
    return CheckScope::work_item;
  const llvm::StringRef name = *instruction.getContext().getSyncScopeName(*scope);
  return name == "subgroup"    ? CheckScope::sub_group
         : name == "workgroup" ? CheckScope::work_group
                               : CheckScope::device;
}

} // namespace lockstep::compiler
