// Hoists values that are uniform in the work-group out of the loop over its work-items.
//
// LLVM's loop-invariant code motion also hoists arithmetic, but no load that a store of the loop
// may alias. In a kernel a load from a uniform address can be hoisted. A work-item that stores to
// that address without a barrier in between races with the work-items that load from it, and a race
// is undefined.
#pragma once

namespace llvm {
class BasicBlock;
class DominatorTree;
} // namespace llvm

namespace lockstep::compiler {

// Moves instructions to the end of `preheader` if all their operands are available there. Considers
// `body` and the blocks that follow it without a branch, which every work-item executes first.
// Loads move until the first instruction that may write. A loop on that way moves as a whole if it
// only computes: a kernel may find the place of its work-group in a tree by such a loop. So does a branch
// whose sides only compute, such as `if (reversed) group = last - group;`.
void hoist_uniform_values(llvm::BasicBlock &preheader, llvm::BasicBlock &body,
                          llvm::DominatorTree &dominators);

} // namespace lockstep::compiler
