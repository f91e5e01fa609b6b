#include "compiler/ir_to_workgroup/linearize/canonicalise_flow.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

namespace lockstep::compiler {

namespace {

// No lane gets to `unreachable`. It must not count as a way to end either: a barrier behind the
// other way would seem to depend on the condition, and what a barrier depends on is taken to be
// uniform.
void remove_unreachable_ways(llvm::Function &function) {
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
      if (other == dead) { // nobody gets here either
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
  auto *end = llvm::BasicBlock::Create(function.getContext(), "end", &function);
  llvm::ReturnInst::Create(function.getContext(), end);
  for (llvm::BasicBlock *block : ends) {
    block->getTerminator()->eraseFromParent();
    llvm::BranchInst::Create(end, block);
  }
}

// `br i1 %c, label %x, label %x` would be a divergent branch for nothing.
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

} // namespace

llvm::PreservedAnalyses CanonicaliseFlowPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  if (sub_group_size(function) == 1)
    return llvm::PreservedAnalyses::all();
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LowerSwitchPass());
  simplify_branches(function);
  remove_unreachable_ways(function);
  make_one_return(function);
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  run(llvm::FixIrreduciblePass());
  run(llvm::LoopSimplifyPass());
  run(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
