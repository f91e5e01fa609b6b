#include "back_ends/nvidia/passes/gpu_scopes.h"

#include "kernel_ir/atomic_scope.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

namespace lockstep::compiler {

void use_gpu_scopes(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  const llvm::SyncScope::ID block = context.getOrInsertSyncScopeID("block"),
                            device = context.getOrInsertSyncScopeID("device");
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    const auto scope = llvm::getAtomicSyncScopeID(&instruction);
    if (!scope || *scope == block)
      continue;
    llvm::setAtomicSyncScopeID(&instruction, stays_in_group(instruction) ? block : device);
  }
}

} // namespace lockstep::compiler
