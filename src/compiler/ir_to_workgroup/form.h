// Which form a kernel takes: the attribute "lockstep-form"="resumable", or "resumable-group" where
// a whole work-group is suspended, set by mark-waits.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

inline constexpr char sub_group_symbol[] = "lockstep.sub_group"; // the coroutine, from launch on

// Attribute of a kernel whose lanes may have to wait for each other: it gets one lane.
inline constexpr char waits_apart[] = "lockstep-waits-apart";
// All waits of such a function are for a limited time.
inline constexpr char waits_are_limited[] = "lockstep-waits-are-limited";

// Of one whose groups are suspended as a whole: wherever its work-items wait, all of a group do, each
// sub-group by its own look.
inline constexpr char waits_together[] = "lockstep-waits-together";

bool is_resumable(const llvm::Function &function);
void set_resumable(llvm::Function &function);
bool is_resumable_by_group(const llvm::Function &function); // then is_resumable, too
void set_resumable_by_group(llvm::Function &function);

} // namespace lockstep::compiler
