// Coalesces several neighboring work-groups into one call of the work-group function.
//
// Input:  the kernel of one work-item after choose-sub-group-size and before lane-ids; attributes
//         "lockstep-local-size" (known), "lockstep-sub-group-size" and "lockstep-neighbor-groups",
//         the number of consecutive groups in each dimension that a call may run.
// Output: where it pays, the kernel of a group that consists of `count` groups, and attribute
//         "lockstep-coalesced-groups"="dimension,count,local dimension". The local size in the local
//         dimension is `count`, and the local id there is the group's number. `__lockstep_group_id`
//         is that of the first group. All work-item queries still return the values of the kernel's
//         own group.
//
// Two patterns profit, because interleave-sub-groups runs the groups at once:
//   - In a matrix product with groups of 64 x 1 work-items, each group streams a column panel of b
//     through the caches for one row of a. Eight groups above each other load it once.
//   - A tile of 16 x 16 floats has one cache line per row, each in another page. Eight groups side
//     by side access rows of eight lines (four groups if they store other rows).
//
// Conditions for correctness:
//   - The local size is 1 in the local dimension, and rows are whole sub-groups.
//   - All branches are uniform across the groups, so the groups reach the same barriers.
//   - The only group operation is the barrier.
//   - Each group gets its own copy of local variables. A variable is shared if every store has the
//     same address and value in all groups and no work-item stores to it after a load without a
//     barrier.
//   - The kernel does not wait: it could wait for another one of the groups.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CoalesceWorkGroupsPass : public llvm::PassInfoMixin<CoalesceWorkGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
