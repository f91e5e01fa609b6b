// Detects whether a kernel waits, and marks the waits.
//
// Input:  the kernel after scalar optimization.
// Output: if a loop waits (analysis/waits.h), the kernel gets the coroutine form (form.h) and these
//         calls:
//   - `__lockstep_seen(address, value, size)` follows each access that the end of the loop depends
//     on.
//   - `__lockstep_wait(site, changed)` is where the loop is suspended, usually on the back edge
//     (analysis/suspension_points.h). `changed` is true if the iteration changed something that may
//     end the loop without other work-items (iteration_changes.h).
//
// In any kernel, `__lockstep_serial_begin()` and `__lockstep_serial_end()` enclose code that lanes
// execute one at a time (analysis/serial_regions.h). A WantedForm other than by_waits may force a form.
//
// The kernel is suspended per work-group where possible (analysis/group_waits.h), with barriers
// inserted around its waits, and otherwise per sub-group.
//
// The pass runs before the lanes stage: masks would hide what a loop waits for, and the number of
// lanes depends on the result. Attribute "lockstep-waits-apart" means that lanes must not hold each
// other back (analysis/wait_lanes.h); "lockstep-waits-are-limited" that all these waits also end by
// themselves.
#pragma once

#include "compiler/options/code_options.h"

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
