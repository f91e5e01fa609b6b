// Drops the program's requests to unroll loops where lanes are faster without.
//
//     #pragma unroll
//     for (int k = 0; k < 64; ++k) sum += row[k] * b[(t + k) * n + x];
//
// Programs ask for this because a GPU saves the counter. LLVM obeys up to 16,384 instructions. After
// that, the code of one work-item is too large to be repeated for several sub-groups or groups,
// which saves more. Without the request, LLVM still unrolls short loops, here and at the end.
//
// Requires: the kernel of one work-item, after SROA.
// Ensures: loops with a constant number of iterations have no `llvm.loop.unroll.enable`, `.full` or
// `.count`. These loops keep them:
// - An index of a private array changes in the loop. Only unrolled, the array is in registers.
// - It has a call that is convergent. Copies of a barrier may become simpler each.
//
// Position: before the first optimization, which unrolls.
#include "compiler/work_item/passes.h"
#include "compiler/work_item/unroll_hints.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool is_of_private_array(const llvm::Instruction &instruction, const llvm::Loop &loop) {
  auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
  return address && !address->hasAllConstantIndices() && !loop.isLoopInvariant(address) &&
         llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address));
}

bool gains_by_unrolling(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if ((call && call->isConvergent()) || is_of_private_array(instruction, loop))
        return true;
    }
  return false;
}

void drop_hints(llvm::Loop &loop) {
  llvm::MDNode *id = loop.getLoopID();
  if (!id || llvm::none_of(id->operands(), is_unroll_hint))
    return;
  llvm::SmallVector<llvm::Metadata *> kept = {nullptr}; // the node itself
  for (const llvm::MDOperand &operand : llvm::drop_begin(id->operands()))
    if (!is_unroll_hint(operand))
      kept.push_back(operand);
  llvm::MDNode *node = llvm::MDNode::getDistinct(id->getContext(), kept);
  node->replaceOperandWith(0, node);
  loop.setLoopID(node);
}

} // namespace

llvm::PreservedAnalyses DropUnrollHintsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop *loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (evolution.getSmallConstantTripCount(loop) != 0 && !gains_by_unrolling(*loop))
      drop_hints(*loop);
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
