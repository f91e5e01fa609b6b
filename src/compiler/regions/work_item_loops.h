// Turns the function of one sub-group into the function of one work-group (the loop form).
//
// Requires: the kernel in the form that isolate-group-operations produces; the attributes
// "lockstep-local-size" and "lockstep-sub-group-size".
// Ensures: each barrier region is a loop over the sub-groups, followed by a dispatch to the group
// operation that they reached. Barriers are gone; other group operations are between the loops and
// run once. A uniform value that is live across a group operation has one variable; any other has
// an array with an element for each sub-group, as private variables have. No `__lockstep_local_id`
// is left, and nothing is convergent any more.
//
//   entry ─> [loop region 0] ─> dispatch ─> operation 1 ─> [loop region 1] ─> dispatch ─┬─> operation 2 ...
//                                               ^───────────────────────────────────────┤
//                                                                                       └─> end
//
// Position: after the lanes stage, because the loops step over sub-groups; before launch queries
// are lowered, because sizes are primitives here. A kernel that waits for other work-groups cannot
// use this form: its work-items run one after the other.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class WorkItemLoopsPass : public llvm::PassInfoMixin<WorkItemLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
