#include "compiler/regions/early_returns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

// Adds the group operations to which paths lead from `block` without passing `convergence_point`.
static void add_reached_operations(const llvm::BasicBlock &block,
                                   const llvm::BasicBlock *convergence_point,
                                   const BarrierRegion &region, const BarrierRegions &regions,
                                   llvm::BitVector &reached) {
  llvm::SmallSetVector<const llvm::BasicBlock *, 16> open;
  open.insert(&block);
  for (unsigned index = 0; index != open.size(); ++index)
    for (const llvm::BasicBlock *next : llvm::successors(open[index])) {
      if (next == convergence_point)
        continue;
      if (llvm::is_contained(region.blocks, next)) {
        open.insert(next);
        continue;
      }
      for (unsigned successor : region.successors)
        if (regions.regions()[successor].operation->getParent() == next)
          reached.set(successor);
    }
}

EarlyEnds find_early_ends(llvm::Function &function, const BarrierRegions &regions,
                          const Uniformity &uniformity) {
  llvm::PostDominatorTree post_dominators(function);
  EarlyEnds ends(regions.regions().size());
  for (const auto &[index, region] : llvm::enumerate(regions.regions())) {
    if (!region.reaches_end || region.successors.empty())
      continue;
    llvm::BitVector reached(regions.regions().size());
    for (llvm::BasicBlock *block : region.blocks) {
      if (uniformity.has_uniform_branch(*block))
        continue;
      const auto *node = post_dominators.getNode(block);
      const auto *above = node ? node->getIDom() : nullptr;
      add_reached_operations(*block, above ? above->getBlock() : nullptr, region, regions, reached);
    }
    if (reached.any())
      ends.within.set(index);
    ends.before |= reached;
  }
  llvm::SmallVector<unsigned> open(ends.before.set_bits());
  while (!open.empty())
    for (unsigned next : regions.regions()[open.pop_back_val()].successors)
      if (!ends.before.test(next)) {
        ends.before.set(next);
        open.push_back(next);
      }
  ends.within |= ends.before;
  return ends;
}

} // namespace lockstep::compiler
