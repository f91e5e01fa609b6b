#include "compiler/ir_to_workgroup/vectorize/lower_local_atomics.h"

#include "compiler/worker_copies.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses LowerLocalAtomicsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  constexpr unsigned local = 3;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        operation && (operation->getPointerAddressSpace() == local ||
                      operation->hasMetadata(worker_copy_metadata)))
      llvm::lowerAtomicRMWInst(operation);
    else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
             swap && swap->getPointerAddressSpace() == local)
      llvm::lowerAtomicCmpXchgInst(swap);
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
