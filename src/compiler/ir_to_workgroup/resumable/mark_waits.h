// Finds out whether a kernel waits, and marks where.
//
// Input:  the kernel after scalar optimisation.
// Output: if a loop waits (analyze/waits.h), the kernel's form is the resumable one (form.h), and
//         - `__lockstep_seen(address, value, size)` follows each access that the end of the loop
//           depends on,
//         - `__lockstep_wait(site, changed)` stands where each round comes by, on the loop's way
//           back as a rule (analyze/wait_place.h). `changed` tells whether this round did something
//           that may end the loop without anybody's help (round_changes.h). Whether it waits or
//           not, code that lanes run one at a time stands between `__lockstep_turn_begin()` and
//           `__lockstep_turn_end()` (analyze/lane_turns.h). A WantedForm other than by_waits asks
//           for one form whether the kernel waits or not.
//
// The kernel is suspended by groups where it can be (analyze/group_waits.h), with barriers put in around
// its waits, and else by sub-groups.
//
// Before the lanes stage, because what a loop waits on is easy to see here and hidden in masks
// afterwards, and because the number of lanes depends on it: attribute "lockstep-waits-apart" where
// lanes must not be held back by each other (analyze/wait_lanes.h), "lockstep-waits-are-limited" in
// addition if all these waits end by themselves.
#pragma once

#include "compiler/code_options.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class GroupWaits;

class MarkWaitsPass : public llvm::PassInfoMixin<MarkWaitsPass> {
public:
  explicit MarkWaitsPass(WantedForm form) : form_(form) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  const char *why_not_by_group(const GroupWaits &groups, bool apart) const;

  WantedForm form_;
};

} // namespace lockstep::compiler
