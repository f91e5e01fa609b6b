// Answers what a kernel asks about its sub-group once the number of lanes is known.
//
// Input:  the kernel after lane-ids: `__lockstep_local_id` is the id of the sub-group's first lane.
// Output: no `__lockstep_sub_group_width` and `__lockstep_sub_group_id` is left, one
//         `__lockstep_lane` in the entry block, `__lockstep_active_lanes` only where a sub-group
//         may not be full. With one lane, no sub-group operation is left either: each is its own
//         argument.
//
// After lane-ids, so that the sub-group's number is made of values that are the same for all its
// lanes; before linearise, which asks what is uniform.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class AnswerSubGroupQueriesPass : public llvm::PassInfoMixin<AnswerSubGroupQueriesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
