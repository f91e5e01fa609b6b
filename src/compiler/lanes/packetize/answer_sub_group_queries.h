// Replaces queries of the sub-group's size, id and lanes by values once the number of lanes is
// known.
//
// Input:  the kernel after lane-ids: `__lockstep_local_id` is the id of the sub-group's first lane.
// Output: no `__lockstep_sub_group_width` and no `__lockstep_sub_group_id`; one `__lockstep_lane`
//         in the entry block. `__lockstep_active_lanes` remains only where a sub-group may be
//         partial. With one lane, no sub-group operation remains: each is replaced by its own
//         argument.
//
// Runs after lane-ids, so that the sub-group's id is computed from uniform values, and before
// linearize, which queries uniformity.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class AnswerSubGroupQueriesPass : public llvm::PassInfoMixin<AnswerSubGroupQueriesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
