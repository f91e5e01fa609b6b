#include "compiler/ir_to_workgroup/stack_size.h"

#include "compiler/ir_to_workgroup/specialisation_attributes.h"
#include "compiler/kernel_ir/limits.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

uint64_t stack_size(const llvm::Function &function) {
  constexpr uint64_t spills_and_host_calls = 64 * 1024;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  uint64_t bytes = spills_and_host_calls;
  const uint64_t most_sub_groups = llvm::divideCeil(max_work_group_size, sub_group_size(function));
  for (const llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!alloca)
      continue;
    auto *count = llvm::dyn_cast<llvm::ConstantInt>(alloca->getArraySize());
    uint64_t elements = count ? count->getZExtValue() : most_sub_groups;
    bytes +=
        elements * layout.getTypeAllocSize(alloca->getAllocatedType()) + alloca->getAlign().value();
  }
  return bytes;
}

} // namespace lockstep::compiler
