// Replaces atomic operations that only one work-group can observe by plain ones (atomic_scope.h),
// and those on a privatized argument.
//
// Requires: the function of one work-group, as work-item-loops or lower-suspensions produces it.
// Ensures: no read-modify-write or compare-and-swap is left in address space 3, in work-group
// scope, or on memory that privatized-reductions has marked. Such stores are at most release, not
// sequentially consistent, which needs no bus lock.
//
// A work-group runs on one thread at a time, so no other thread can access the memory between the
// load and the store. A bus lock (some 20 cycles) gains nothing. The same is true of memory that
// only this worker uses while it runs (abi/privatized_reductions.h). Memory orders need nothing
// more. A thread observes its own operations in order, and other threads synchronize by an
// operation of a wider scope, which stays. Loads and stores stay atomic: plain ones cost the same,
// and LLVM might tear or repeat them.
//
// Position: after packetize, which must see that lanes may access the same address. In the
// coroutine form, after all analyses of what an iteration changes, which distinguish updates from
// stores. A loop that polls by an update still reads memory in each iteration, since it suspends in
// each, and a suspension may change any memory.
#include "compiler/prepare_code/passes.h"

#include "abi/privatized_reductions.h"
#include "kernel_ir/atomic_scope.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses LowerGroupAtomicsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!instruction.isAtomic() ||
        !(stays_in_group(instruction) || instruction.hasMetadata(privatized_metadata)))
      continue;
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      llvm::lowerAtomicRMWInst(update);
    else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      llvm::lowerAtomicCmpXchgInst(swap);
    else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
             store && store->getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent)
      store->setOrdering(llvm::AtomicOrdering::Release);
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
