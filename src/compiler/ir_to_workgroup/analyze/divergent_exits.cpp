#include "compiler/ir_to_workgroup/analyze/divergent_exits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

using Blocks = llvm::SmallSetVector<llvm::BasicBlock *, 8>;

class ExitJoins {
public:
  ExitJoins(llvm::Function &function, const llvm::DominatorTree &dominators,
            llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
            llvm::SmallPtrSetImpl<const llvm::PHINode *> &joins)
      : dominators_(dominators), post_dominators_(function),
        is_divergent_branch_(is_divergent_branch), joins_(joins) {}

  void visit(const llvm::Cycle &cycle) {
    for (const llvm::Cycle *child : cycle.children())
      visit(*child);
    llvm::SmallVector<llvm::BasicBlock *> list;
    cycle.getExitBlocks(list);
    Blocks exits(list.begin(), list.end());
    if (!has_divergent_exit(cycle))
      return;
    for (llvm::BasicBlock *exit : exits)
      for (llvm::PHINode &phi : exit->phis())
        if (merges_exit_edges(phi, cycle))
          joins_.insert(&phi);
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

  // Blocks that only some of the work-items parted by `branch` may execute before they meet again.
  void collect_influence(llvm::BasicBlock &branch,
                         llvm::SmallPtrSetImpl<llvm::BasicBlock *> &influence) {
    auto *node = post_dominators_.getNode(&branch);
    llvm::BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallVector<llvm::BasicBlock *> open(llvm::successors(&branch));
    while (!open.empty()) {
      llvm::BasicBlock *block = open.pop_back_val();
      if (block != join && influence.insert(block).second)
        open.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  }

  bool has_divergent_exit(const llvm::Cycle &cycle) {
    llvm::SmallPtrSet<llvm::BasicBlock *, 16> influence;
    for (llvm::BasicBlock *block : cycle.blocks())
      if (is_divergent_branch_(*block)) {
        influence.insert(block);
        collect_influence(*block, influence);
      }
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
          joins_.insert(&phi);
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
  llvm::SmallPtrSetImpl<const llvm::PHINode *> &joins_;
};

} // namespace

void find_divergent_exit_joins(
    llvm::Function &function, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
    llvm::SmallPtrSetImpl<const llvm::PHINode *> &joins) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  ExitJoins search(function, dominators, is_divergent_branch, joins);
  for (const llvm::Cycle *cycle : cycles.toplevel_cycles())
    search.visit(*cycle);
}

} // namespace lockstep::compiler
