// Phis that differ between work-items because the work-items left a loop through different edges.
//
// LLVM's UniformityAnalysis (22) finds that a value computed in a loop is divergent for a user
// behind the loop when work-items leave after different numbers of iterations. It does not find a
// phi behind the loop that merges *constants* over two exit edges, one of them taken by some
// work-items only:
//
//     do { ++v; } while (v < 2 && divergent);   // after unrolling hints:  v = phi [1, %first
//     exit], [2, %second exit]
//
// Every divergent exit is like a divergent branch whose targets are all exits of the loop; what
// joins their paths is divergent.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class PHINode;
} // namespace llvm

namespace lockstep::compiler {

// Adds such phis to `joins`; `is_divergent_branch` tells whether work-items part at the end of a
// block.
void find_divergent_exit_joins(
    llvm::Function &function, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
    llvm::SmallPtrSetImpl<const llvm::PHINode *> &joins);

} // namespace lockstep::compiler
