#include "compiler/regions/hoist_uniform_values.h"

#include "compiler/analysis/argument_members.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

bool can_move(const llvm::Instruction &instruction, bool memory_is_unchanged) {
  if (llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) || instruction.isTerminator())
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && (memory_is_unchanged || member_of(*load));
  return !instruction.mayReadOrWriteMemory() && !instruction.mayThrow() && instruction.willReturn();
}

// Whether it may be computed although its branch is not taken: it has a value for all operands, and
// costs less than a branch.
bool is_cheap(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return call->getCalledFunction() && primitive_of(*call->getCalledFunction()) &&
           can_move(instruction, false);
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst, llvm::SelectInst,
                   llvm::GetElementPtrInst>(instruction) &&
         !instruction.getType()->isFPOrFPVectorTy() && !instruction.isIntDivRem();
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
      while (hoist_loop_after(*block) || hoist_choice_after(*block)) {
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

  // Whether the block may run in front of the body, behind those of `hoisted`.
  bool only_computes(const llvm::BasicBlock &block,
                     const llvm::SetVector<llvm::BasicBlock *> &hoisted) const {
    auto is_available = [&](const llvm::Value *operand) {
      auto *instruction = llvm::dyn_cast<llvm::Instruction>(operand);
      return llvm::isa<llvm::BasicBlock>(operand) ||
             (instruction &&
              (instruction->getParent() == &block ||
               hoisted.contains(const_cast<llvm::BasicBlock *>(instruction->getParent())))) ||
             is_uniform(operand);
    };
    return llvm::all_of(block, [&](const llvm::Instruction &instruction) {
      return (llvm::isa<llvm::PHINode, llvm::BranchInst>(instruction) ||
              can_move(instruction, memory_is_unchanged_)) &&
             llvm::all_of(instruction.operands(), is_available);
    });
  }

  // The blocks from the branch at the end of `block` to the next one that all paths reach, which is
  // `join`. Empty: they do more than to compute, or have another entry.
  llvm::SetVector<llvm::BasicBlock *> blocks_of_choice(llvm::BasicBlock &block,
                                                       llvm::BasicBlock *&join) const {
    llvm::SetVector<llvm::BasicBlock *> inside;
    llvm::SetVector<llvm::BasicBlock *> next(llvm::succ_begin(&block), llvm::succ_end(&block));
    auto is_entered_from_here = [&](llvm::BasicBlock *of) {
      return of != &block && of != &body_ &&
             llvm::all_of(llvm::predecessors(of), [&](llvm::BasicBlock *predecessor) {
               return predecessor == &block || inside.contains(predecessor);
             });
    };
    while (next.size() > 1) {
      auto found = llvm::find_if(next, [&](llvm::BasicBlock *each) {
        return is_entered_from_here(each) && only_computes(*each, inside);
      });
      if (found == next.end())
        return {};
      llvm::BasicBlock *each = *found;
      next.remove(each);
      inside.insert(each);
      for (llvm::BasicBlock *successor : llvm::successors(each))
        if (!inside.contains(successor))
          next.insert(successor);
    }
    join = next.empty() ? nullptr : next.front();
    return join && is_entered_from_here(join) ? inside : llvm::SetVector<llvm::BasicBlock *>{};
  }

  // A branch of the whole group that only chooses values runs once, in front of the loop:
  // `if (reversed) group = last - group;`.
  bool hoist_choice_after(llvm::BasicBlock &block) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || !is_uniform(branch->getCondition()))
      return false;
    llvm::BasicBlock *join = nullptr;
    const auto inside = blocks_of_choice(block, join);
    const bool are_available =
        join && llvm::all_of(join->phis(), [&](const llvm::PHINode &phi) {
          return llvm::all_of(phi.incoming_values(), [&](const llvm::Use &value) {
            auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
            return (instruction && inside.contains(instruction->getParent())) || is_uniform(value);
          });
        });
    if (inside.empty() || !are_available)
      return false;
    for (llvm::BasicBlock *each : inside)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*each))
        if (is_cheap(instruction) &&
            llvm::all_of(instruction.operands(), [&](const llvm::Use &operand) {
              return llvm::isa<llvm::Function>(operand) || is_uniform(operand);
            }))
          instruction.moveBefore(preheader_->getTerminator()->getIterator());
    if (llvm::all_of(inside, [&](const llvm::BasicBlock *each) {
          return each->sizeWithoutDebug() == 1 && each->getSingleSuccessor() == join;
        }))
      select_values(block, *branch, *join);
    else
      hoist_branch(block, *branch, inside, *join);
    dominators_.recalculate(*block.getParent());
    return true;
  }

  // The sides of the branch have no code, or none is left there.
  void select_values(llvm::BasicBlock &block, llvm::BranchInst &branch, llvm::BasicBlock &join) {
    auto from = [&](unsigned side) {
      return branch.getSuccessor(side) == &join ? &block : branch.getSuccessor(side);
    };
    for (llvm::PHINode &phi : llvm::make_early_inc_range(join.phis())) {
      auto *choice = llvm::SelectInst::Create(
          branch.getCondition(), phi.getIncomingValueForBlock(from(0)),
          phi.getIncomingValueForBlock(from(1)), "", preheader_->getTerminator()->getIterator());
      choice->takeName(&phi);
      choice->setDebugLoc(phi.getDebugLoc());
      phi.replaceAllUsesWith(choice);
      phi.eraseFromParent();
    }
    llvm::SmallVector<llvm::BasicBlock *, 2> sides;
    for (unsigned side : {0u, 1u})
      if (from(side) != &block)
        sides.push_back(from(side));
    branch.eraseFromParent();
    llvm::BranchInst::Create(&join, &block);
    llvm::DeleteDeadBlocks(sides);
  }

  void hoist_branch(llvm::BasicBlock &block, llvm::BranchInst &branch,
                    const llvm::SetVector<llvm::BasicBlock *> &inside, llvm::BasicBlock &join) {
    llvm::BasicBlock *after = preheader_->splitBasicBlock(preheader_->getTerminator(), "uniform");
    preheader_->getTerminator()->eraseFromParent();
    branch.removeFromParent();
    branch.insertInto(preheader_, preheader_->end());
    for (llvm::PHINode &phi : llvm::make_early_inc_range(join.phis()))
      phi.moveBefore(*after, after->getFirstNonPHIIt());
    branch.replaceSuccessorWith(&join, after);
    after->replacePhiUsesWith(&block, preheader_);
    for (llvm::BasicBlock *each : inside) {
      each->replacePhiUsesWith(&block, preheader_);
      each->getTerminator()->replaceSuccessorWith(&join, after);
    }
    llvm::BranchInst::Create(&join, &block);
    preheader_ = after;
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
