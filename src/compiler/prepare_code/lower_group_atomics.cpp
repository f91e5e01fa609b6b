#include "compiler/prepare_code/lower_group_atomics.h"

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
