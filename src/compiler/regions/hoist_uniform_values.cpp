#include "compiler/regions/hoist_uniform_values.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool can_move(const llvm::Instruction &instruction, bool memory_is_unchanged) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isTerminator())
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && memory_is_unchanged;
  return !instruction.mayReadOrWriteMemory() && !instruction.mayThrow() && instruction.willReturn();
}

class Hoist {
public:
  Hoist(llvm::BasicBlock &preheader, llvm::BasicBlock &body, llvm::DominatorTree &dominators)
      : preheader_(&preheader), body_(body), dominators_(dominators) {}

  void run() {
    for (llvm::BasicBlock *block = &body_; block; block = block->getSingleSuccessor()) {
      // Otherwise it is the latch, or the header of a loop that stays.
      if (block != &body_ && !block->getSinglePredecessor())
        return;
      hoist_instructions_of(*block);
      while (hoist_loop_after(*block)) {
      }
    }
  }

private:
  bool is_uniform(const llvm::Value *value) const {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    // Operands in the preheader need no dominance query. Such a query renumbers the block after
    // each move, which takes minutes when thousands of values move.
    return !instruction || instruction->getParent() == preheader_ ||
           dominators_.dominates(instruction, preheader_->getTerminator());
  }

  void hoist_instructions_of(llvm::BasicBlock &block) {
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(block)) {
      if (can_move(instruction, memory_is_unchanged_) &&
          llvm::all_of(instruction.operands(),
                       [&](const llvm::Use &operand) { return is_uniform(operand); }))
        instruction.moveBefore(preheader_->getTerminator()->getIterator());
      memory_is_unchanged_ &= !instruction.mayWriteToMemory();
    }
  }

  // Whether each iteration only computes, from values that are available before the body.
  bool is_uniform(const llvm::Loop &loop) const {
    auto is_available = [&](const llvm::Value *operand) {
      auto *instruction = llvm::dyn_cast<llvm::Instruction>(operand);
      return (instruction && loop.contains(instruction)) || is_uniform(operand);
    };
    return llvm::all_of(loop.blocks(), [&](const llvm::BasicBlock *block) {
      return llvm::all_of(*block, [&](const llvm::Instruction &instruction) {
        return (llvm::isa<llvm::PHINode, llvm::BranchInst>(instruction) ||
                can_move(instruction, memory_is_unchanged_)) &&
               llvm::all_of(instruction.operands(), [&](const llvm::Use &operand) {
                 return llvm::isa<llvm::BasicBlock>(operand) || is_available(operand);
               });
      });
    });
  }

  // Every work-item executes the loop, so it ends, and executing it once in front is the same.
  bool hoist_loop_after(llvm::BasicBlock &block) {
    llvm::BasicBlock *header = block.getSingleSuccessor();
    if (!header || header->getSinglePredecessor())
      return false;
    const llvm::LoopInfo loops(dominators_);
    const llvm::Loop *loop = loops.isLoopHeader(header) ? loops.getLoopFor(header) : nullptr;
    if (!loop || loop->getLoopPreheader() != &block || loop->contains(&body_))
      return false;
    llvm::BasicBlock *exiting = loop->getExitingBlock(), *exit = loop->getExitBlock();
    if (!exiting || !exit || exit->getSinglePredecessor() != exiting || !is_uniform(*loop))
      return false;
    llvm::BasicBlock *after = preheader_->splitBasicBlock(preheader_->getTerminator(), "uniform");
    preheader_->getTerminator()->setSuccessor(0, header);
    header->replacePhiUsesWith(&block, preheader_);
    exiting->getTerminator()->replaceSuccessorWith(exit, after);
    block.getTerminator()->setSuccessor(0, exit);
    exit->replacePhiUsesWith(exiting, &block);
    preheader_ = after;
    dominators_.recalculate(*block.getParent());
    return true;
  }

  llvm::BasicBlock *preheader_;
  llvm::BasicBlock &body_;
  llvm::DominatorTree &dominators_;
  bool memory_is_unchanged_ = true;
};

} // namespace

void hoist_uniform_values(llvm::BasicBlock &preheader, llvm::BasicBlock &body,
                          llvm::DominatorTree &dominators) {
  Hoist(preheader, body, dominators).run();
}

} // namespace lockstep::compiler
