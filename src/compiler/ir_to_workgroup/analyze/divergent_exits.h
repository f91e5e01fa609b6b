// What differs between work-items because they left a loop at different times or through different
// edges.
//
// LLVM's UniformityAnalysis (22) finds that a value computed in a loop is divergent for a user
// behind the loop when work-items leave after different numbers of iterations, where a divergent
// branch leaves the loop. It does not find
//   - a phi behind the loop that merges *constants* over two exit edges, one of them taken by some
//     work-items only:
//
//         do { ++v; } while (v < 2 && divergent);   // v = phi [1, %first exit], [2, %second exit]
//
//   - the times at which work-items leave a loop by uniform branches which only some of them come
//     to, where these have one target:
//
//         do { ++v; if (divergent ? uniform : v > 2) break; } while (true);
//
// Every divergent exit is like a divergent branch whose targets are all exits of the loop; what
// joins their paths is divergent. And where a second edge leads to an exit, who uses a value of the
// loop behind it gets values of several iterations.
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

// Adds such phis and users to `divergent`; `is_divergent_branch` tells whether work-items part at
// the end of a block.
void find_differences_behind_loops(
    llvm::Function &function, const llvm::DominatorTree &dominators,
    llvm::function_ref<bool(const llvm::BasicBlock &)> is_divergent_branch,
    llvm::SmallPtrSetImpl<const llvm::Instruction *> &divergent);

} // namespace lockstep::compiler
