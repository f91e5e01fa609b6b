// Finds values that are divergent because work-items leave a loop at different times or through
// different edges.
//
// LLVM's UniformityAnalysis (22) marks a value computed in a loop as divergent for its users behind
// the loop, if a divergent branch leaves the loop and work-items leave after different numbers of
// iterations. It misses two cases:
//   - a phi behind the loop that merges *constants* over two exit edges, one of which only some
//     work-items take:
//
//         do { ++v; } while (v < 2 && divergent);   // v = phi [1, %first exit], [2, %second exit]
//
//   - exits by uniform branches that only some work-items reach, where these branches have the same
//     target:
//
//         do { ++v; if (divergent ? uniform : v > 2) break; } while (true);
//
// We treat a set of divergent exits like one divergent branch whose targets are all exits of the
// loop: phis that join paths from these exits are divergent. If an exit block has a second incoming
// exit edge, its users of values of the loop see values of several iterations.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;

} // namespace llvm

namespace lockstep::compiler {

// Adds such phis and users to `divergent`. `is_divergent_branch` returns whether the terminator of
// a block is a divergent branch.
void find_differences_behind_loops(
    llvm::Function &function, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
    llvm::SmallPtrSetImpl<const llvm::Instruction *> &divergent);

} // namespace lockstep::compiler
