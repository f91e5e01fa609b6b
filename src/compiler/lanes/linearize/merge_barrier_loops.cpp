// Merges a loop with a barrier into the loop around it where lanes leave it after different numbers
// of iterations, to enter it again.
//
// Requires: reducible flow, lane ids.
// Ensures: lanes that reach the barrier in the same iteration of either loop reach it together.
//
//     outer: ...                            Some lanes continue at `inner`, others at `outer`, and
//     inner: barrier(); ...                 all reach the barrier next. linearize lets lanes that
//     if (divergent) goto inner;            leave a loop wait for the others, which would reach the
//     if (...) goto outer;                  barrier alone.
//
// Such loops come from gotos. The merged loop has a dispatch block (work_item/cycle_dispatch.h), and
// each iteration of it ends at a barrier. Other loops do not change: all work-items must reach a
// barrier equally often (OpenCL C 6.15.8), so a branch that decides whether they do is uniform.
#include "compiler/lanes/linearize/merge_barrier_loops.h"

#include "compiler/analysis/convergence_points.h"
#include "compiler/lanes/linearize/passes.h"
#include "compiler/work_item/cycle_dispatch.h"

#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

// The innermost cycle that contains the cycle and the block. Null: there is none.
const llvm::Cycle *find_around(const llvm::Cycle &cycle, const llvm::BasicBlock &block) {
  const llvm::Cycle *around = cycle.getParentCycle();
  while (around && !around->contains(&block))
    around = around->getParentCycle();
  return around;
}

// The cycle in which lanes remain when some of them leave the given one, and all reach the same
// barrier of it next.
const llvm::Cycle *find_around_divergent_exit(const llvm::Cycle &cycle,
                                              const Uniformity &uniformity,
                                              const ConvergencePoints &points) {
  for (const llvm::BasicBlock *block : cycle.blocks()) {
    const auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || branch->isUnconditional() || uniformity.is_uniform(*branch->getCondition()))
      continue;
    const llvm::BasicBlock *one = branch->getSuccessor(0), *other = branch->getSuccessor(1);
    if (cycle.contains(one) && cycle.contains(other))
      continue;
    if (points.lead_to_the_same(one, other, cycle))
      return find_around(cycle, cycle.contains(one) ? *other : *one);
  }
  return nullptr;
}

void append_inner_cycles(const llvm::Cycle &cycle,
                         llvm::SmallVectorImpl<const llvm::Cycle *> &all) {
  for (const llvm::Cycle *inner : cycle.children()) {
    if (has_group_operation(*inner))
      all.push_back(inner);
    append_inner_cycles(*inner, all);
  }
}

bool merge_one(llvm::Function &function, UniformityLevel level) {
  llvm::CycleInfo cycles;
  cycles.compute(function);
  llvm::SmallVector<const llvm::Cycle *> candidates;
  for (const llvm::Cycle *cycle : cycles.toplevel_cycles())
    append_inner_cycles(*cycle, candidates);
  if (candidates.empty())
    return false;
  const llvm::DominatorTree dominators(function);
  const Uniformity uniformity(function, dominators, level);
  const ConvergencePoints points(function);
  for (const llvm::Cycle *candidate : candidates)
    if (const llvm::Cycle *around = find_around_divergent_exit(*candidate, uniformity, points)) {
      add_dispatch(function, *around);
      return true;
    }
  return false;
}

} // namespace

bool merge_barrier_loops(llvm::Function &function, UniformityLevel level) {
  bool changed = false;
  while (merge_one(function, level))
    changed = true;
  return changed;
}

llvm::PreservedAnalyses MergeBarrierLoopsPass::run_in_lanes(llvm::Function &function,
                                                            llvm::FunctionAnalysisManager &) {
  return merge_barrier_loops(function, UniformityLevel::sub_group) ? llvm::PreservedAnalyses::none()
                                                                   : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
