// The form of a kernel: loop form or coroutine form ("resumable"). mark-waits sets the attribute
// "lockstep-form"="resumable", or "resumable-group" where a whole work-group is suspended.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// Symbol of the coroutine, from lower-launch on.
inline constexpr char sub_group_symbol[] = "lockstep.sub_group";

// Attribute of a kernel whose lanes may have to wait for each other: its sub-groups get one lane.
inline constexpr char lanes_wait_for_each_other[] = "lockstep-lanes-wait-for-each-other";
// Attribute of a function whose waits are all limited in time.
inline constexpr char waits_are_limited[] = "lockstep-waits-are-limited";

// Attribute of a kernel whose groups are suspended as a whole. Where its work-items wait, all
// work-items of the group wait, and each sub-group reads the awaited value itself.
inline constexpr char waits_together[] = "lockstep-waits-together";

// Attribute of calls of `__lockstep_wait`, `__lockstep_seen` and `__lockstep_suspend` in a loop that
// all work-items of the group repeat together. The group is suspended once, as by a group
// operation, and the first sub-group records what it has read.
inline constexpr char once_for_group[] = "lockstep-once-for-group";

bool is_resumable(const llvm::Function &function);
void set_resumable(llvm::Function &function);
bool is_resumable_by_group(const llvm::Function &function); // implies is_resumable
void set_resumable_by_group(llvm::Function &function);

} // namespace lockstep::compiler
