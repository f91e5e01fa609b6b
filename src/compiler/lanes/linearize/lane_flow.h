// Analyzes the control flow of one work-item for linearize: block order, divergent branches and
// loops, and blocks with equal masks.
//
// Block order: (1) edges other than back edges lead forward, (2) the blocks of a loop are
// contiguous, (3) the blocks that a block dominates follow it contiguously. Because of (3), running
// blocks without active lanes never runs a use without its definition. (Moll and Hack, "Partial
// control-flow linearization": dominance-compact.) In a kernel whose waits are limited in time
// (form.h), a path with a wait precedes the other path of its branch.
//
// A loop is divergent if lanes can leave it in different iterations: they diverge at a branch in it
// and do not reconverge before the iteration ends. It runs while one lane is in it.
//
// A block's leader is an earlier block with the same active lanes. It dominates the block, and each
// lane that passes it reaches the block in the same iteration of all enclosing loops.
//
// A branch that decides which group operation comes next counts as uniform even without a proof:
// OpenCL requires all work-items to reach the same barriers. A branch decides this if no group
// operation and not the return can come next on both paths, and neither path leads only to the
// return. Control dependence of a barrier is not sufficient: the optimizer threads divergent flow
// into both sides of a uniform branch.
#pragma once

#include "compiler/analysis/uniformity.h"
#include "compiler/lanes/linearize/iteration_ends.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <memory>
#include <vector>

namespace llvm {
class Loop;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

class LaneFlow {
public:
  // `function` has one return and no switch, is reducible, and has simplified loops in LCSSA form.
  LaneFlow(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops);

  const std::vector<llvm::BasicBlock *> &order() const { return order_; }
  bool is_divergent_branch(const llvm::BasicBlock &block) const {
    return divergent_branches_.contains(&block);
  }
  // Do all active lanes take the same edge because they reach the same barriers? Inactive lanes may
  // hold any condition.
  bool is_uniform_by_barrier(const llvm::BasicBlock &block) const {
    return uniform_by_barrier_.contains(&block);
  }
  bool is_uniform_phi(const llvm::PHINode &phi) const { return uniform_phis_.contains(&phi); }
  bool is_divergent_loop(const llvm::Loop &loop) const { return divergent_loops_.contains(&loop); }
  llvm::BasicBlock *leader(const llvm::BasicBlock &block) const { return leaders_.lookup(&block); }
  bool has_divergence() const { return !divergent_branches_.empty(); }

private:
  void find_divergent_branches(llvm::Function &function, const Uniformity &uniformity);
  void find_divergent_loop(const llvm::Loop &loop);
  void order_level(const llvm::Loop *level, llvm::ArrayRef<llvm::BasicBlock *> flow_order);
  llvm::BasicBlock *find_leader(llvm::BasicBlock &block);
  const IterationEnds &ends_of(const llvm::Loop *level);

  llvm::DominatorTree &dominators_;
  llvm::LoopInfo &loops_;
  std::vector<llvm::BasicBlock *> flow_order_, order_;
  llvm::DenseMap<const llvm::Loop *, std::unique_ptr<IterationEnds>> ends_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_branches_, uniform_by_barrier_;
  llvm::SmallPtrSet<const llvm::PHINode *, 16> uniform_phis_;
  llvm::SmallPtrSet<const llvm::Loop *, 8> divergent_loops_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BasicBlock *> leaders_;
};

} // namespace lockstep::compiler
