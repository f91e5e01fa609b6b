#include "compiler/analysis/stack_size.h"

#include "kernel_ir/limits.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

uint64_t size_of_variables(const llvm::Function &function) {
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  uint64_t bytes = 0;
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

// The stack of a function and its callees; there is no recursion.
uint64_t deepest(const llvm::Function &function,
                 llvm::DenseMap<const llvm::Function *, uint64_t> &known) {
  if (auto found = known.find(&function); found != known.end())
    return found->second;
  constexpr uint64_t spills = 16 * 1024; // vectors of a large function
  uint64_t below = 0;
  for (const llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function *callee = call->getCalledFunction();
          callee && is_out_of_line(*callee) && !callee->isDeclaration())
        below = std::max(below, spills + deepest(*callee, known));
  return known[&function] = size_of_variables(function) + below;
}

} // namespace

uint64_t stack_size(const llvm::Function &function) {
  constexpr uint64_t spills_and_host_calls = 64 * 1024;
  llvm::DenseMap<const llvm::Function *, uint64_t> known;
  return spills_and_host_calls + deepest(function, known);
}

} // namespace lockstep::compiler
