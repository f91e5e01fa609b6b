// Brings control flow into the form that linearize requires.
//
// Input:  the kernel of one work-item.
// Output: one return block; no unreachable, no switch, no conditional branch with equal targets.
//         No branch mixes a uniform and a divergent condition. The flow is reducible. Each loop has
//         a preheader, one latch and dedicated exits. An endless loop without group operations gets
//         an exit. Values leave loops through phis (LCSSA).
//
// Runs after lane-ids and split-vectors, since these passes may add loops and switches.
#include "compiler/lanes/linearize/passes.h"
#include "compiler/lanes/linearize/split_conditions.h"
#include "compiler/work_item/passes.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

namespace lockstep::compiler {

namespace {

// Removes edges to `unreachable`: no lane takes them. They must not count as ends either. Otherwise
// a barrier behind the other edge would seem to depend on the condition, and branches that decide
// about barriers are assumed to be uniform.
void remove_unreachable_edges(llvm::Function &function) {
  llvm::SmallVector<llvm::BasicBlock *> open;
  for (llvm::BasicBlock &block : function)
    if (llvm::isa<llvm::UnreachableInst>(block.getTerminator()))
      open.push_back(&block);
  while (!open.empty()) {
    llvm::BasicBlock *dead = open.pop_back_val();
    llvm::SmallVector<llvm::BasicBlock *> before(llvm::predecessors(dead));
    for (llvm::BasicBlock *block : before) {
      auto *branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
      llvm::BasicBlock *other =
          branch->isConditional() ? branch->getSuccessor(branch->getSuccessor(0) == dead) : dead;
      dead->removePredecessor(block, /*KeepOneInputPHIs=*/true);
      if (other == dead) { // unreachable as well
        new llvm::UnreachableInst(function.getContext(), branch->getIterator());
        open.push_back(block);
      } else {
        llvm::BranchInst::Create(other, branch->getIterator());
      }
      branch->eraseFromParent();
    }
  }
}

void make_one_return(llvm::Function &function) {
  llvm::removeUnreachableBlocks(function);
  llvm::SmallVector<llvm::BasicBlock *> ends;
  for (llvm::BasicBlock &block : function)
    if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(block.getTerminator()))
      ends.push_back(&block);
  if (ends.empty())
    return;
  if (!function.getReturnType()->isVoidTy()) { // vector-variants has made a single return block
    auto *end = llvm::find_if(ends, [](llvm::BasicBlock *block) {
      return llvm::isa<llvm::ReturnInst>(block->getTerminator());
    });
    for (llvm::BasicBlock *block : ends)
      if (end != ends.end() && block != *end) {
        for (llvm::PHINode &phi : (*end)->phis())
          phi.addIncoming(llvm::PoisonValue::get(phi.getType()), block);
        block->getTerminator()->eraseFromParent();
        llvm::BranchInst::Create(*end, block);
      }
    return;
  }
  auto *end = llvm::BasicBlock::Create(function.getContext(), "end", &function);
  llvm::ReturnInst::Create(function.getContext(), end);
  for (llvm::BasicBlock *block : ends) {
    block->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(end, block);
  }
}

// Replaces `br i1 %c, label %x, label %x`, which would count as a divergent branch.
void simplify_branches(llvm::Function &function) {
  for (llvm::BasicBlock &block : function) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) != branch->getSuccessor(1))
      continue;
    branch->getSuccessor(0)->removePredecessor(&block, /*KeepOneInputPHIs=*/true);
    llvm::BranchInst::Create(branch->getSuccessor(0), branch->getIterator());
    branch->eraseFromParent();
  }
}

bool has_group_operation(const llvm::Loop &loop) {
  for (const llvm::BasicBlock *block : loop.blocks())
    if (llvm::any_of(*block, [](const llvm::Instruction &instruction) {
          return is_group_operation(instruction);
        }))
      return true;
  return false;
}

llvm::BasicBlock *find_return(llvm::Function &function) {
  for (llvm::BasicBlock &block : function)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator()))
      return &block;
  auto *end = llvm::BasicBlock::Create(function.getContext(), "end", &function);
  llvm::ReturnInst::Create(function.getContext(), end);
  return end;
}

// Gives endless loops an exit. After linearization, a sub-group would enter such a loop even if its
// mask is empty, and the code behind the loop would never run. Optimizations may leave an endless
// loop where they know that it is not reached. The new exit is taken by a lane that does not exist,
// so that the loop ends like any other: when no lane is in it.
void end_endless_loops(llvm::Function &function, llvm::LoopInfo &loops) {
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->hasNoExitBlocks() || has_group_operation(*loop))
      continue;
    llvm::BasicBlock *end = find_return(function);
    llvm::BasicBlock *again = llvm::SplitEdge(loop->getLoopLatch(), loop->getHeader(),
                                              /*DT=*/nullptr, &loops);
    auto *left = llvm::BasicBlock::Create(function.getContext(), "left", &function, end);
    llvm::BranchInst::Create(end, left);
    llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    llvm::Value *no_lane =
        entry.CreateICmpEQ(emit_lane(entry), entry.getInt64(sub_group_size(function)), "nobody");
    again->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(left, loop->getHeader(), no_lane, again);
  }
}

} // namespace

llvm::PreservedAnalyses
CanonicalizeFlowPass::run_in_lanes(llvm::Function &function,
                                   llvm::FunctionAnalysisManager &analyses) {
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LowerSwitchPass());
  simplify_branches(function);
  remove_unreachable_edges(function);
  make_one_return(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  if (split_conditions(function, analyses))
    analyses.invalidate(function, llvm::PreservedAnalyses::none());
  run(MakeReduciblePass());
  run(MergeBarrierLoopsPass());
  run(llvm::LoopSimplifyPass());
  end_endless_loops(function, analyses.getResult<llvm::LoopAnalysis>(function));
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  run(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
