// Makes atomic sums of 16 bits in local memory loops of compare-and-swap.
//
// An exchange or a compare-and-swap of 16 bits is one of the 32 bits around them. `atom.add.f16`
// beside it overlaps it in part, which the memory model leaves undefined (PTX ISA, section "Data
// races" and "Morally strong operations").
//
// Requires: address spaces are those of NVPTX.
// Ensures: no atomic sum of floating-point numbers of 16 bits to shared memory, or through a generic
// pointer, is left.
//
// Position: before order-atomics, which gives the compare-and-swaps their order.
#include "back_ends/nvidia/passes/passes.h"
#include "back_ends/nvidia/passes/sums_by_swaps.h"

#include "abi/address_spaces.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned nvptx_generic = 0;

bool is_short_local_sum(const llvm::AtomicRMWInst &update) {
  const unsigned address_space = update.getPointerAddressSpace();
  return update.getOperation() == llvm::AtomicRMWInst::FAdd && update.getType()->is16bitFPTy() &&
         (address_space == local_space || address_space == nvptx_generic);
}

} // namespace

llvm::PreservedAnalyses SumLocalHalvesBySwapsPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::AtomicRMWInst *> sums;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && is_short_local_sum(*update))
      sums.push_back(update);
  for (llvm::AtomicRMWInst *sum : sums) {
    sum->replaceAllUsesWith(add_by_swaps(*sum, *sum));
    sum->eraseFromParent();
  }
  return sums.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
