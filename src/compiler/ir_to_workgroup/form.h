// Which form a kernel takes: the attribute "lockstep-form"="resumable", set by mark-waits.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

inline constexpr char sub_group_symbol[] = "lockstep.sub_group"; // the coroutine, from launch on

// Attribute of a kernel whose lanes may have to wait for each other: it gets one lane.
inline constexpr char waits_apart[] = "lockstep-waits-apart";

bool is_resumable(const llvm::Function &function);
void set_resumable(llvm::Function &function);

} // namespace lockstep::compiler
