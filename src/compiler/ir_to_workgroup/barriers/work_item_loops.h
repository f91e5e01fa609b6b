// Turns the function of one sub-group into the function of one work-group (the *looped* form).
//
// Input:  the kernel as isolate-group-operations leaves it; attributes "lockstep-local-size",
//         "lockstep-sub-group-size".
// Output: each barrier region is a loop over the sub-groups, followed by a dispatch to the group
//         operation that the sub-groups reached; barriers are gone, other group operations stand
//         between the loops and run once. Values that cross a group operation live in one variable
//         if uniform, in an array with an element for each sub-group otherwise; so do private
//         variables. No `__lockstep_local_id` is left and nothing is convergent any more.
//
//   entry ─> [loop region 0] ─> dispatch ─> operation 1 ─> [loop region 1] ─> dispatch ─┬─> operation 2 ─> ...
//                                               ^───────────────────────────────────────┤
//                                                                                       └─> end
//
// After the lanes stage, because a loop here steps over sub-groups; before launch queries are
// lowered, because the sizes it asks for are primitives. A kernel that waits for other work-groups
// cannot take this form: its work-items run one after the other.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class WorkItemLoopsPass : public llvm::PassInfoMixin<WorkItemLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
