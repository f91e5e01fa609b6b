// Makes irreducible control flow reducible: afterwards every cycle is a natural loop.
//
// Requires: any function: a kernel or an out-of-line function.
// Ensures: the same behavior; every cycle has one entry. A function without irreducible cycles does
// not change.
//
// A cycle with several entries gets a dispatch block (cycle_dispatch.h). Irreducible cycles that
// remain inside are handled next. Natural loops do not change, with one exception: if a cycle has a
// barrier, and work-items that leave it reach the same barrier next as those that remain, the loop
// around it gets the dispatch block in its place. All of them must meet at that barrier.
//
// LLVM's FixIrreducible does not know barriers, and LLVM 22's loses an edge
// (llvm/llvm-project#191979, fixed in LLVM 23; tests/passes/make-reducible/llvm_still_needs_it.ll).
// mark-waits and canonicalize-flow run this pass first, since they analyze loops.
#include "compiler/analysis/convergence_points.h"
#include "compiler/work_item/cycle_dispatch.h"
#include "compiler/work_item/passes.h"

#include "llvm/IR/CycleInfo.h"

namespace lockstep::compiler {

namespace {

// The outermost irreducible cycle, so that all cycles around it are natural loops.
const llvm::Cycle *find_irreducible(const llvm::CycleInfo &cycles) {
  llvm::SmallVector<const llvm::Cycle *> open(cycles.toplevel_begin(), cycles.toplevel_end());
  while (!open.empty()) {
    const llvm::Cycle *cycle = open.pop_back_val();
    if (!cycle->isReducible())
      return cycle;
    open.append(cycle->child_begin(), cycle->child_end());
  }
  return nullptr;
}

// Whether a branch decides if work-items leave the cycle, but not which barrier they reach next.
bool is_left_for_its_barrier(const llvm::Cycle &cycle, const ConvergencePoints &points) {
  for (const llvm::BasicBlock *block : cycle.blocks())
    for (const llvm::BasicBlock *left : llvm::successors(block))
      for (const llvm::BasicBlock *other : llvm::successors(block))
        if (!cycle.contains(left) && cycle.contains(other) &&
            points.lead_to_the_same(left, other, cycle))
          return true;
  return false;
}

const llvm::Cycle &cycle_to_dispatch(llvm::Function &function, const llvm::Cycle &cycle) {
  if (!has_group_operation(cycle))
    return cycle;
  const ConvergencePoints points(function);
  const llvm::Cycle *chosen = &cycle;
  while (chosen->getParentCycle() && is_left_for_its_barrier(*chosen, points))
    chosen = chosen->getParentCycle();
  return *chosen;
}

} // namespace

llvm::PreservedAnalyses MakeReduciblePass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  bool changed = false;
  while (true) {
    llvm::CycleInfo cycles;
    cycles.compute(function);
    const llvm::Cycle *cycle = find_irreducible(cycles);
    if (!cycle)
      break;
    add_dispatch(function, cycle_to_dispatch(function, *cycle));
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
