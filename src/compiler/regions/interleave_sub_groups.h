// Interleaves several consecutive sub-groups in one function where that pays.
//
// Requires: the function of one sub-group, after the lanes stage; the attributes
// "lockstep-local-size" (known) and "lockstep-sub-group-size".
// Ensures: one run of the function executes `count` consecutive sub-groups of one dimension; an
// attribute records both numbers (specialization_attributes.h). `__lockstep_local_id` is the id of
// the first sub-group.
//
// A matrix product is the typical case. Its loop waits for one chain of multiply-adds, and each
// sub-group loads the same pieces of a column again. Eight interleaved rows are eight chains, and
// one load of a column piece serves them all. Instructions that do not depend on the dimension's
// local id stay single; all others are repeated in place. Divergent regions run for one sub-group
// after the other (repeat_for_sub_groups.h). A gather or scatter that forms a tile with those of
// the next sub-groups becomes loads or stores of the tile's rows (transposed_accesses.h).
//
// Interleaving pays for such tiles, for loops that share or carry values, and for loops that walk
// through memory in large strides. The vector registers limit the count. Straight code gains
// nothing, since the CPU overlaps it anyway, except in coalesced work-groups that are side by side
// (coalesce_work_groups.h).
//
// Position: after packetize, which makes the vectors (so registers can be counted); before
// work-item-loops, which steps over interleaved sub-groups.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class InterleaveSubGroupsPass : public llvm::PassInfoMixin<InterleaveSubGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
