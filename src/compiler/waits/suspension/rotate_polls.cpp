// Moves the test of a loop that all work-items of a group repeat together behind its read:
//
//     while (!work_group_all(ready))           if (!work_group_all(ready))
//       ready = atomic_load(flag);         ->    do ready = atomic_load(flag);
//                                                while (!work_group_all(ready));
//
// Each iteration then combines what it has read, and carries nothing to the next one. So the group
// may be suspended as a whole, once for all of its work-items (analysis/group_waits.h).
//
// Requires: loops in simplified form.
// Ensures: if the header of a loop has a group operation and is its only exit, and the rest of the
// loop reads what other work-items may change, the header's code is in front of the loop and at its
// end.
//
// Position: part of mark-waits, after the loops are simplified. LLVM's loop-rotate leaves loops
// with convergent operations alone; all work-items of a group reach a group operation, so a copy of
// it may be made on a uniform path.
#include "compiler/waits/analysis/waits.h"
#include "compiler/waits/suspension/passes.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

bool has_group_operation(const BasicBlock &block) {
  return llvm::any_of(block, [](const llvm::Instruction &it) { return is_group_operation(it); });
}

bool may_be_changed_in(const BasicBlock &block) {
  return llvm::any_of(block,
                      [](const llvm::Instruction &it) { return may_be_changed_by_others(it); });
}

// The successor of the header inside the loop; null: the loop stays as it is.
BasicBlock *body_of(const llvm::Loop &loop) {
  BasicBlock *header = loop.getHeader();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  if (!loop.isInnermost() || !loop.getLoopPreheader() || !loop.getLoopLatch() ||
      loop.getLoopLatch() == header || loop.getExitingBlock() != header || !branch ||
      !has_group_operation(*header) || may_be_changed_in(*header))
    return nullptr;
  BasicBlock *body = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 0 : 1);
  if (body->getSinglePredecessor() != header || llvm::isa<llvm::PHINode>(body->front()))
    return nullptr;
  bool reads = false;
  for (const BasicBlock *block : loop.blocks()) {
    reads |= may_be_changed_in(*block);
    if (block != header && has_group_operation(*block))
      return nullptr;
  }
  return reads ? body : nullptr;
}

void rotate(llvm::Loop &loop) {
  BasicBlock *header = loop.getHeader(), *before = loop.getLoopPreheader(),
             *latch = loop.getLoopLatch();
  // A copy of the header for the first iteration, in front of the loop.
  llvm::ValueToValueMapTy map;
  BasicBlock *first = llvm::CloneBasicBlock(header, map, ".first", header->getParent());
  first->moveBefore(header);
  for (llvm::PHINode &phi : header->phis()) {
    llvm::cast<llvm::Instruction>(map[&phi])->eraseFromParent();
    map[&phi] = phi.getIncomingValueForBlock(before);
  }
  for (llvm::Instruction &instruction : *first)
    llvm::RemapInstruction(&instruction, map,
                           llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  before->getTerminator()->replaceSuccessorWith(header, first);
  for (llvm::PHINode &phi : header->phis())
    phi.removeIncomingValue(before, /*DeletePHIIfEmpty=*/false);
  for (BasicBlock *next : llvm::successors(header))
    for (llvm::PHINode &phi : next->phis()) {
      llvm::Value *value = phi.getIncomingValueForBlock(header);
      if (llvm::Value *copy = map.lookup(value))
        value = copy;
      phi.addIncoming(value, first);
    }
  header->getTerminator()->setMetadata(
      llvm::LLVMContext::MD_loop, latch->getTerminator()->getMetadata(llvm::LLVMContext::MD_loop));
  latch->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, nullptr);
  // Values of the header now come from either copy.
  llvm::SSAUpdater updater;
  for (llvm::Instruction &instruction : *header) {
    llvm::SmallVector<llvm::Use *> uses;
    for (llvm::Use &use : instruction.uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      auto *merge = llvm::dyn_cast<llvm::PHINode>(user);
      if ((merge ? merge->getIncomingBlock(use) : user->getParent()) != header)
        uses.push_back(&use);
    }
    if (uses.empty())
      continue;
    updater.Initialize(instruction.getType(), instruction.getName());
    updater.AddAvailableValue(first, map.lookup(&instruction));
    updater.AddAvailableValue(header, &instruction);
    for (llvm::Use *use : uses)
      updater.RewriteUse(*use);
  }
  for (llvm::PHINode &phi : llvm::make_early_inc_range(header->phis())) {
    phi.replaceAllUsesWith(phi.getIncomingValue(0));
    phi.eraseFromParent();
  }
}

} // namespace

llvm::PreservedAnalyses RotatePollsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  llvm::SmallVector<llvm::Loop *> wanted;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (body_of(*loop))
      wanted.push_back(loop);
  for (llvm::Loop *loop : wanted)
    rotate(*loop);
  return wanted.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
