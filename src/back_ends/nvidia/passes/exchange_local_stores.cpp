// Makes atomic stores to local memory, and sums of 16 bits there, updates that suit each other.
//
// In shared memory, an update such as atom.exch is not atomic with respect to a store (PTX ISA,
// section "atom"): it may write what it read before the store. A lock that one work-item gives back
// by a store, while others try to take it, is lost then. An exchange is atomic.
//
// An exchange or a compare-and-swap of 16 bits is one of the 32 bits around them. `atom.add.f16`
// beside it overlaps it in part, which the memory model leaves undefined (PTX ISA, section "Data
// races" and "Morally strong operations"). So sums of 16 bits are loops of compare-and-swap.
//
// Requires: address spaces are those of NVPTX.
// Ensures: no atomic store to shared memory, or through a generic pointer, is left, nor a sum of
// floating-point numbers of 16 bits.
//
// Position: before order-atomics, which gives the exchanges their order.
#include "back_ends/nvidia/passes/passes.h"
#include "back_ends/nvidia/passes/sums_by_swaps.h"

#include "abi/address_spaces.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

constexpr unsigned nvptx_generic = 0;

bool may_be_local(unsigned address_space) {
  return address_space == local_space || address_space == nvptx_generic;
}

bool is_short_sum(const llvm::AtomicRMWInst &update) {
  return update.getOperation() == llvm::AtomicRMWInst::FAdd && update.getType()->is16bitFPTy() &&
         may_be_local(update.getPointerAddressSpace());
}

} // namespace

llvm::PreservedAnalyses ExchangeLocalStoresPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::StoreInst *> stores;
  llvm::SmallVector<llvm::AtomicRMWInst *> sums;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        store && store->isAtomic() && may_be_local(store->getPointerAddressSpace()))
      stores.push_back(store);
    else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
             update && is_short_sum(*update))
      sums.push_back(update);
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  for (llvm::StoreInst *store : stores) {
    llvm::IRBuilder<> builder(store);
    llvm::Value *value = store->getValueOperand();
    llvm::Type *word = builder.getIntNTy(unsigned(layout.getTypeSizeInBits(value->getType())));
    value = value->getType()->isPointerTy() ? builder.CreatePtrToInt(value, word)
                                            : builder.CreateBitCast(value, word);
    const llvm::AtomicOrdering order = store->getOrdering() == llvm::AtomicOrdering::Unordered
                                           ? llvm::AtomicOrdering::Monotonic
                                           : store->getOrdering();
    builder
        .CreateAtomicRMW(llvm::AtomicRMWInst::Xchg, store->getPointerOperand(), value,
                         store->getAlign(), order, store->getSyncScopeID())
        ->setVolatile(store->isVolatile());
    store->eraseFromParent();
  }
  for (llvm::AtomicRMWInst *sum : sums) {
    sum->replaceAllUsesWith(add_by_swaps(*sum, *sum));
    sum->eraseFromParent();
  }
  return stores.empty() && sums.empty() ? llvm::PreservedAnalyses::all()
                                        : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
