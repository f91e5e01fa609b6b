// Lets one run of the function do several neighbouring sub-groups, where that pays.
//
// Input:  the function of one sub-group (the lanes stage is done); attributes "lockstep-local-size"
//         (known), "lockstep-sub-group-size".
// Output: the function of `count` sub-groups that follow each other in one dimension, attribute
//         "lockstep-jam"="dimension,count". `__lockstep_local_id` is that of the first of them.
//
// A matrix product shows why. Its loop waits for one chain of multiply-adds, and each sub-group
// loads the same column pieces anew. Eight rows at once are eight chains, and one load of a column
// piece serves them all. What does not depend on the dimension's local id stays single; every other
// instruction is repeated in place for each sub-group. Parts in which control flow depends on it
// run for one sub-group after the other (repeat_for_sub_groups.h).
//
// A gather or scatter that makes a tile with those of the next sub-groups becomes loads or stores of its rows (tiles.h).
//
// It pays for such tiles, in loops that share values or carry values from one iteration to the next, and in those
// that walk through memory in large strides; the count is what the vector registers hold. Straight
// code gains nothing, the CPU overlaps it anyway, unless the sub-groups are of work-groups side by side (join_work_groups.h).
//
// In a group that is suspended as a whole, each sub-group looks for itself at what all wait for.
//
// After packetize, which makes vectors (so registers can be counted); before work-item-loops, which
// steps over what is done at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class JamSubGroupsPass : public llvm::PassInfoMixin<JamSubGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
