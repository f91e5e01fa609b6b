// What linearise must know about the control flow of one work-item before it turns divergent parts
// into masks.
//
// The order. Blocks are put into a line so that (1) an edge that is not a back edge leads forward,
// (2) a loop's blocks stand together, (3) the blocks that a block dominates stand together, right
// after it. By (3), running some blocks although no lane wants them never runs a use without its
// definition. (Moll and Hack, "Partial control-flow linearization", call such an order
// dominance-compact.) In a kernel whose lanes wait in step for a limited time (form.h), a path with a
// wait comes before the other one of its branch.
//
// Divergent loops. A loop is divergent if lanes can leave it in different iterations: they part at
// a divergent branch in it and do not all meet again before the iteration ends. Such a loop runs
// while one lane is in it. All other loops need no mask of their own.
//
// Leaders. A block has the same active lanes as an earlier one, its leader, if the leader dominates
// it and each lane that passes the leader comes by (in the same iteration of all loops around).
// Joins get their mask from there.
//
// Branches that decide which group operation comes next are the same for all work-items, since
// OpenCL demands that they meet the same barriers; they count as uniform although the analysis
// cannot see it. A branch decides that if no group operation, and not the return, can be the next
// on both ways. One that only leads to the return decides nothing: who returns meets nobody, and the
// others go on without (`if (get_global_id(0) >= n) return;`). That a barrier depends on a branch is not enough: the branch may stand in divergent
// flow and never choose the barrier, and the optimiser threads divergent flow into the two ways of
// a uniform branch.
#pragma once

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/linearize/iteration_ends.h"

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
  // `function`: one return, no switch, reducible, loops simplified, in LCSSA form.
  LaneFlow(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops);

  const std::vector<llvm::BasicBlock *> &order() const { return order_; }
  bool is_divergent_branch(const llvm::BasicBlock &block) const {
    return divergent_branches_.contains(&block);
  }
  // All active lanes go the same way, since they meet the same barriers, though their conditions
  // may be computed.
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
