// Computes the local ids of a sub-group in the coroutine form from its number.
//
// Input:  the function of one sub-group; `__lockstep_local_id` is that of the first lane.
// Output: no `__lockstep_local_id` and no `__lockstep_active_lanes`. Both are computed from
//         `__lockstep_sub_group` and the local size in the entry block. Cheap arithmetic is
//         rematerialized after each suspension rather than kept in the frame (rematerialize.h).
//
// In the loop form, the loops over sub-groups provide the ids (regions/work_item_loop_nest.h); here
// there is no loop.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SubGroupIdsPass : public llvm::PassInfoMixin<SubGroupIdsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
