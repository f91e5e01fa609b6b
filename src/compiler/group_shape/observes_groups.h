// Whether a kernel can observe how its work-items form groups.
#pragma once

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

// True if the kernel has local memory or operations of groups or sub-groups, or queries more than
// ids of constant dimensions and the size of the launch. False does not mean that all uses of local
// ids and group ids are global ids.
bool observes_groups(const llvm::Function &function);

// Atomic and volatile accesses: another work-item may wait for them.
bool is_seen_by_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
