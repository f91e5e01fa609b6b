// Makes the local size a constant if the function is specialized for one ("lockstep-local-size",
// docs/kernel_ir.md).
//
// Requires: the kernel after inline-kernel.
// Ensures: `__lockstep_local_size` and `__lockstep_enqueued_local_size` are constants, and
// `__lockstep_local_id` carries its range. So loops over local memory have known trip counts, and
// index arithmetic is known not to wrap. Without the attribute, only ids get a range, below
// CL_DEVICE_MAX_WORK_GROUP_SIZE.
//
// Position: before scalar optimization, which needs the constants.
#include "compiler/work_item/specialize/passes.h"

#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses SpecializeLocalSizePass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  std::array<uint32_t, 3> size = specialized_local_size(function);
  llvm::SmallVector<llvm::CallInst *> sizes;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto primitive = called_primitive(instruction);
    if (!primitive)
      continue;
    auto &call = llvm::cast<llvm::CallInst>(instruction);
    auto dimension = constant_dimension(call);
    if (*primitive == Primitive::local_id) {
      uint64_t limit =
          dimension && *dimension < 3 && size[0] ? size[*dimension] : max_work_group_size;
      call.addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, 0), llvm::APInt(64, limit)));
    } else if (*primitive == Primitive::local_size ||
               *primitive == Primitive::enqueued_local_size) {
      if (size[0] && dimension && *dimension < 3)
        sizes.push_back(&call);
      else
        call.addRangeRetAttr(
            llvm::ConstantRange(llvm::APInt(64, 1), llvm::APInt(64, max_work_group_size + 1)));
    }
  }
  for (llvm::CallInst *call : sizes) {
    call->replaceAllUsesWith(
        llvm::ConstantInt::get(call->getType(), size[*constant_dimension(*call)]));
    call->eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
