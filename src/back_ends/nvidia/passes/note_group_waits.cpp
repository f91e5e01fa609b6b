// Marks functions that may wait for other work-groups, and loops that wait for other work-items.
//
// Requires: kernel IR after the shared stages, as mark-waits does on the CPU.
// Ensures: a function has the attribute "lockstep-groups-wait" if a loop of it waits
// (waits/analysis/waits.h) for memory that other work-groups may write. Locks count: the holder may
// be in any work-group that has begun. The back edge of a loop that waits for other work-items,
// for an unlimited time, has the metadata "lockstep.wait".
//
// Position: before retarget, while accesses are those of kernel IR.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "compiler/waits/analysis/waits.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace lockstep::compiler {

static bool is_in_local_memory(const llvm::Instruction &access) {
  const llvm::Value *address = llvm::getPointerOperand(&access);
  if (const auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    address = swap->getPointerOperand();
  if (const auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    address = update->getPointerOperand();
  return address && address->getType()->getPointerAddressSpace() == local_space;
}

llvm::PreservedAnalyses NoteGroupWaitsPass::run(llvm::Function &function,
                                                llvm::FunctionAnalysisManager &analyses) {
  if (!may_wait(function))
    return llvm::PreservedAnalyses::all();
  analyses.invalidate(function, llvm::LoopSimplifyPass().run(function, analyses));
  const std::vector<Wait> waits =
      find_waits(function, {analyses.getResult<llvm::LoopAnalysis>(function),
                            analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                            analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                            analyses.getResult<llvm::AAManager>(function)});
  for (const Wait &wait : waits) {
    if (!wait.is_limited)
      wait.loop->getLoopLatch()->getTerminator()->setMetadata(
          wait_metadata, llvm::MDNode::get(function.getContext(), {}));
    if (!llvm::all_of(wait.accesses,
                      [](const llvm::Instruction *access) { return is_in_local_memory(*access); }))
      function.addFnAttr(groups_wait_attribute);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
