#include "compiler/regions/early_returns.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

// Whether a path from `block` reaches a group operation without passing `convergence_point`.
static bool reaches_operation(const llvm::BasicBlock &block,
                              const llvm::BasicBlock *convergence_point,
                              const BarrierRegion &region) {
  llvm::SmallSetVector<const llvm::BasicBlock *, 16> open;
  open.insert(&block);
  for (unsigned index = 0; index != open.size(); ++index)
    for (const llvm::BasicBlock *next : llvm::successors(open[index])) {
      if (next == convergence_point)
        continue;
      if (!llvm::is_contained(region.blocks, next))
        return true;
      open.insert(next);
    }
  return false;
}

bool may_end_early(llvm::Function &function, const BarrierRegions &regions,
                   const Uniformity &uniformity) {
  llvm::PostDominatorTree post_dominators(function);
  for (const BarrierRegion &region : regions.regions()) {
    if (!region.reaches_end || region.successors.empty())
      continue;
    for (llvm::BasicBlock *block : region.blocks) {
      if (uniformity.has_uniform_branch(*block))
        continue;
      const auto *node = post_dominators.getNode(block);
      const auto *above = node ? node->getIDom() : nullptr;
      if (reaches_operation(*block, above ? above->getBlock() : nullptr, region))
        return true;
    }
  }
  return false;
}

} // namespace lockstep::compiler
