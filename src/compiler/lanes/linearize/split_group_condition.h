// Gives the part of the entry's condition by which whole groups leave a branch of its own.
//
//     if (x < n && y < n) { ...; barrier(CLK_LOCAL_MEM_FENCE); ... }
//
// In groups of 64 x 1, all work-items agree on `y < n`. With two branches, group_guard.h finds the
// one that whole groups take, and unmasked-guards the one that work-items take.
//
// Requires: the kernel of one work-item, with a known local size.
// Ensures: if the entry ends with a branch of which one side only returns, and its condition has
// parts that depend on local ids and parts that do not, the entry branches on the latter.
#pragma once

namespace llvm {
class BranchInst;
class Function;
} // namespace llvm

namespace lockstep::compiler {

// Returns the branch on the parts that depend on local ids; null if nothing was split.
llvm::BranchInst *split_group_condition(llvm::Function &function);

} // namespace lockstep::compiler
