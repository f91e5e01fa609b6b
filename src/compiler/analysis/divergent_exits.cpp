#include "compiler/analysis/divergent_exits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using Blocks = llvm::SmallSetVector<llvm::BasicBlock *, 8>;
using Influence = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>; // see collect_influence

class ExitJoins {
public:
  ExitJoins(llvm::Function &function, const llvm::DominatorTree &dominators,
            llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
            llvm::SmallPtrSetImpl<const llvm::Instruction *> &divergent)
      : dominators_(dominators), post_dominators_(function),
        is_divergent_branch_(is_divergent_branch), divergent_(divergent) {}

  void visit(const llvm::Cycle &cycle) {
    for (const llvm::Cycle *child : cycle.children())
      visit(*child);
    llvm::SmallVector<llvm::BasicBlock *> list;
    cycle.getExitBlocks(list);
    Blocks exits(list.begin(), list.end());
    Influence influence = influence_in(cycle);
    if (!has_exit_from(influence, cycle))
      return;
    for (llvm::BasicBlock *exit : exits) {
      for (llvm::PHINode &phi : exit->phis())
        if (merges_exit_edges(phi, cycle))
          divergent_.insert(&phi);
      if (is_left_to_at_several_times(*exit, influence, cycle))
        visit_users_behind(*exit, cycle);
    }
    if (exits.size() > 1)
      visit_joins_of(exits, cycle);
  }

private:
  static bool merges_exit_edges(const llvm::PHINode &phi, const llvm::Cycle &cycle) {
    const llvm::Value *first = nullptr;
    for (unsigned edge = 0; edge != phi.getNumIncomingValues(); ++edge) {
      if (!cycle.contains(phi.getIncomingBlock(edge)))
        continue;
      if (first && first != phi.getIncomingValue(edge))
        return true;
      first = phi.getIncomingValue(edge);
    }
    return false;
  }

  // True if some work-items may take one exit edge to `exit` while others continue the cycle and
  // leave by another edge.
  static bool is_left_to_at_several_times(const llvm::BasicBlock &exit, const Influence &influence,
                                          const llvm::Cycle &cycle) {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 4> left_from;
    bool is_of_some = false;
    for (const llvm::BasicBlock *block : llvm::predecessors(&exit))
      if (cycle.contains(block)) {
        left_from.insert(block);
        is_of_some |= influence.contains(block);
      }
    return is_of_some && left_from.size() > 1;
  }

  void visit_users_behind(llvm::BasicBlock &exit, const llvm::Cycle &cycle) {
    for (llvm::BasicBlock *block : cycle.blocks())
      for (llvm::Instruction &value : *block)
        for (llvm::User *user : value.users())
          if (auto *behind = llvm::cast<llvm::Instruction>(user);
              behind->getParent() == &exit ||
              (!cycle.contains(behind->getParent()) &&
               is_reachable_outside(exit, *behind->getParent(), cycle)))
            divergent_.insert(behind);
  }

  // Blocks between a divergent branch and its immediate post-dominator: only some of the work-items
  // may execute them.
  void collect_influence(llvm::BasicBlock &branch, Influence &influence) {
    auto *node = post_dominators_.getNode(&branch);
    llvm::BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallVector<llvm::BasicBlock *> open(llvm::successors(&branch));
    while (!open.empty()) {
      llvm::BasicBlock *block = open.pop_back_val();
      if (block != join && influence.insert(block).second)
        open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  }

  Influence influence_in(const llvm::Cycle &cycle) {
    Influence influence;
    for (llvm::BasicBlock *block : cycle.blocks())
      if (is_divergent_branch_(*block)) {
        influence.insert(block);
        collect_influence(*block, influence);
      }
    return influence;
  }

  static bool has_exit_from(const Influence &influence, const llvm::Cycle &cycle) {
    llvm::SmallVector<llvm::BasicBlock *> exiting;
    cycle.getExitingBlocks(exiting);
    return llvm::any_of(exiting,
                        [&](llvm::BasicBlock *block) { return influence.contains(block); });
  }

  void visit_joins_of(const Blocks &exits, const llvm::Cycle &cycle) {
    llvm::SmallPtrSet<llvm::BasicBlock *, 8> sources(exits.begin(), exits.end());
    llvm::ForwardIDFCalculator frontier(const_cast<llvm::DominatorTree &>(dominators_));
    frontier.setDefiningBlocks(sources);
    llvm::SmallVector<llvm::BasicBlock *> joins;
    frontier.calculate(joins);
    for (llvm::BasicBlock *join : joins) {
      unsigned reached_from = 0;
      for (llvm::BasicBlock *exit : exits)
        reached_from += exit == join || is_reachable_outside(*exit, *join, cycle);
      if (cycle.contains(join) || reached_from < 2)
        continue;
      for (llvm::PHINode &phi : join->phis())
        if (!phi.hasConstantOrUndefValue())
          divergent_.insert(&phi);
    }
  }

  static bool is_reachable_outside(llvm::BasicBlock &from, llvm::BasicBlock &to,
                                   const llvm::Cycle &cycle) {
    llvm::SmallPtrSet<llvm::BasicBlock *, 16> seen;
    llvm::SmallVector<llvm::BasicBlock *> open = {&from};
    while (!open.empty()) {
      llvm::BasicBlock *block = open.pop_back_val();
      for (llvm::BasicBlock *next : llvm::successors(block)) {
        if (next == &to)
          return true;
        if (!cycle.contains(next) && seen.insert(next).second)
          open.push_back(next);
      }
    }
    return false;
  }

  const llvm::DominatorTree &dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch_;
  llvm::SmallPtrSetImpl<const llvm::Instruction *> &divergent_;
};

} // namespace

void find_differences_behind_loops(
    llvm::Function &function, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
    llvm::SmallPtrSetImpl<const llvm::Instruction *> &divergent) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  ExitJoins search(function, dominators, is_divergent_branch, divergent);
  for (const llvm::Cycle *cycle : cycles.toplevel_cycles())
    search.visit(*cycle);
}

} // namespace lockstep::compiler
