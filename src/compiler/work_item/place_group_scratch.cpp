// Allocates the scratch memory of work-group collectives.
//
// Requires: the kernel with its device library linked; collectives call `__lockstep_group_scratch`.
// Ensures: the result is the address of a local variable, the last one of the module. It is large
// enough for a partial result of each sub-group of the largest work-group.
// KernelInfo::local_memory_size includes it if the kernel calls a collective (front_ends).
//
// Position: before pin-local-memory, which treats it like the kernel's own local variables. It is
// not on the stack, because each sub-group has its own stack in the coroutine form.
#include "compiler/work_item/passes.h"

#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses PlaceGroupScratchPass::run(llvm::Module &module,
                                                   llvm::ModuleAnalysisManager &) {
  llvm::Function *query = module.getFunction(primitive_name(Primitive::group_scratch));
  if (!query || query->use_empty())
    return llvm::PreservedAnalyses::all();
  auto *type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()),
                                    group_scratch_size / sizeof(uint64_t));
  auto *scratch = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                           llvm::GlobalValue::InternalLinkage,
                                           llvm::UndefValue::get(type), "lockstep.group.scratch",
                                           nullptr, llvm::GlobalValue::NotThreadLocal, 3);
  scratch->setAlignment(llvm::Align(group_scratch_alignment));
  for (llvm::User *user : llvm::make_early_inc_range(query->users())) {
    auto *call = llvm::cast<llvm::CallInst>(user);
    call->replaceAllUsesWith(scratch);
    call->eraseFromParent();
  }
  query->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
