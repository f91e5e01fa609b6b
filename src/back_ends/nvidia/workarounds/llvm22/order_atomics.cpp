// Keeps the order of atomic updates.
//
// LLVM 22 drops the order and the scope of `atomicrmw` for NVIDIA GPUs: each becomes a relaxed
// instruction of device scope. On a card, 3,595 of 4,652 readers of a message that was passed by
// atomic_fetch_add with release and acquire saw the old data. Loads, stores, fences and `cmpxchg`
// are right. LLVM's own expansion of an update to a loop of `cmpxchg` is right, too.
//
// Requires: IR for the GPU, with the scopes "block" and "device".
// Ensures: each `atomicrmw` is monotonic. Fences of its scope before and after it have its order.
//
// Position: before the optimization, which merges fences.
//
// Upstream: llvm/llvm-project#179553, for LLVM 23
#include "back_ends/nvidia/workarounds/llvm22/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

using llvm::AtomicOrdering;

// `monotonic`: no fence.
static AtomicOrdering order_before(AtomicOrdering order) {
  return order == AtomicOrdering::SequentiallyConsistent ? order
         : llvm::isReleaseOrStronger(order)              ? AtomicOrdering::Release
                                                         : AtomicOrdering::Monotonic;
}

static AtomicOrdering order_after(AtomicOrdering order) {
  return llvm::isAcquireOrStronger(order) ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic;
}

llvm::PreservedAnalyses OrderAtomicsPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::AtomicRMWInst *> updates;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && update->getOrdering() != AtomicOrdering::Monotonic)
      updates.push_back(update);
  for (llvm::AtomicRMWInst *update : updates) {
    const AtomicOrdering order = update->getOrdering();
    llvm::IRBuilder<> builder(update);
    if (order_before(order) != AtomicOrdering::Monotonic)
      builder.CreateFence(order_before(order), update->getSyncScopeID());
    builder.SetInsertPoint(update->getNextNode());
    if (order_after(order) != AtomicOrdering::Monotonic)
      builder.CreateFence(order_after(order), update->getSyncScopeID());
    update->setOrdering(AtomicOrdering::Monotonic);
  }
  return updates.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
