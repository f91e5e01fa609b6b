// Local ids of a sub-group that runs by itself, from its number.
//
// Input:  the function of one sub-group; `__lockstep_local_id` is the first lane's.
// Output: no `__lockstep_local_id` and no `__lockstep_active_lanes` is left; both are computed from
//         `__lockstep_sub_group` and the local size. The arithmetic stands in the entry block;
//         what is cheap is computed anew after each suspension rather than kept in the frame
//         (split_coroutine.h).
//
// In the looped form the loops over sub-groups know the ids (barriers/work_item_loop_nest.h); here
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
