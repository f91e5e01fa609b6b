// The parts of the control flow in which neighbouring sub-groups go different ways.
//
// A part begins with the branch at the end of `from` and ends where all meet again, at `to`; what
// lies between has no other way in or out. A loop that sub-groups leave in different iterations
// belongs to its part as a whole. No part lies in another one.
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

struct PartedRegion {
  llvm::BasicBlock *from, *to;
  llvm::SmallVector<llvm::BasicBlock *> blocks; // between them, in reverse post-order
};

// Nullopt where sub-groups that part meet again nowhere.
std::optional<std::vector<PartedRegion>>
find_parted_regions(llvm::Function &function, const llvm::DominatorTree &dominators,
                    const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops,
                    llvm::function_ref<bool(const llvm::BasicBlock &)> parts_at_end);

} // namespace lockstep::compiler
