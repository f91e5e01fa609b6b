// Computes once for the work-group what is the same for all its work-items.
//
// LLVM's loop-invariant code motion hoists arithmetic out of the loop over work-items, but no load
// that some store of the loop might change. In a kernel a load at a uniform address can go: a
// work-item that stored there without a barrier between would race with those that load, and a race
// is undefined.
#pragma once

namespace llvm {
class BasicBlock;
class DominatorTree;
} // namespace llvm

namespace lockstep::compiler {

// Moves instructions that every work-item executes first in `body` (and in the blocks that follow
// it without a branch) to the end of `preheader`, where all their operands are known there. Loads
// move until the first instruction that may write.
void hoist_uniform_values(llvm::BasicBlock &preheader, llvm::BasicBlock &body,
                          const llvm::DominatorTree &dominators);

} // namespace lockstep::compiler
