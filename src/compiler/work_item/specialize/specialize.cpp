// Records on the kernel what it is specialized for.
//
// Requires: the kernel after inline-kernel.
// Ensures: the kernel has those of the attributes "lockstep-local-size", "lockstep-neighbor-groups",
// "lockstep-groups-in-rows" and "lockstep-image-arguments" (specialization_attributes.h) that the
// Specialization determines. Without an offset, `__lockstep_global_offset` is 0.
//
// It is a separate pass, so that the passes that specialize can be tested on attributes alone.
#include "compiler/work_item/specialize/passes.h"

#include "kernel_ir/kernel_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

void replace_offsets(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
    if (called_primitive(instruction) == Primitive::global_offset) {
      instruction.replaceAllUsesWith(llvm::Constant::getNullValue(instruction.getType()));
      instruction.eraseFromParent();
    }
}

} // namespace

llvm::PreservedAnalyses SpecializePass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::Function &kernel = *kernel_function(module);
  if (specialization_.local_size[0])
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        set_specialized_local_size(function, specialization_.local_size);
  if (specialization_.neighbors != single_group)
    set_neighbor_groups(kernel, specialization_.neighbors);
  if (specialization_.has_no_offset)
    for (llvm::Function &function : module)
      replace_offsets(function);
  if (specialization_.groups_in_rows)
    kernel.addFnAttr(groups_in_rows);
  if (specialization_.batched_updates)
    kernel.addFnAttr(batched_updates);
  if (!specialization_.images.empty())
    set_image_arguments(kernel, specialization_.images);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
