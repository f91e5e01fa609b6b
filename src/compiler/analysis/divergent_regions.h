// Finds the single-entry single-exit regions in which interleaved sub-groups diverge.
//
// A region begins with the divergent branch at the end of `from` and ends at the convergence point
// `to`. The blocks between them have no other entry or exit. A loop that sub-groups leave in
// different iterations is in its region as a whole. Regions do not overlap or nest.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class LoopInfo;
class PostDominatorTree;
} // namespace llvm

namespace lockstep::compiler {

struct DivergentRegion {
  llvm::BasicBlock *from, *to;
  llvm::SmallVector<llvm::BasicBlock *> blocks; // between them, in reverse post-order
};

// Returns nullopt if a divergent branch has no convergence point. `parts_at_end`: whether the
// branch at the end of a block is divergent.
std::optional<std::vector<DivergentRegion>>
find_divergent_regions(llvm::Function &function, const llvm::DominatorTree &dominators,
                       const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                       llvm::function_ref<bool(const llvm::BasicBlock &)> parts_at_end);

} // namespace lockstep::compiler
