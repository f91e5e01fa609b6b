// Makes atomic stores to local memory exchanges.
//
// In shared memory, an update such as atom.exch is not atomic with respect to a store (PTX ISA,
// section "atom"): it may write what it read before the store. A lock that one work-item gives back
// by a store, while others try to take it, is lost then. An exchange is atomic.
//
// Requires: address spaces are those of NVPTX.
// Ensures: no atomic store to shared memory, or through a generic pointer, is left.
//
// Position: before order-atomics, which gives the exchanges their order.
#include "back_ends/nvidia/passes/passes.h"

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

} // namespace

llvm::PreservedAnalyses ExchangeLocalStoresPass::run(llvm::Function &function,
                                                     llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::StoreInst *> stores;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        store && store->isAtomic() && may_be_local(store->getPointerAddressSpace()))
      stores.push_back(store);
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
  return stores.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
