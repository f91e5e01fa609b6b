// Whether a kernel can observe how its work-items form groups.
#pragma once

#include <cstdint>

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

// How many groups have whole sub-groups in rows of `items` work-items each: a power of two.
uint64_t groups_of_whole_lanes(uint64_t items, uint64_t lanes);

} // namespace lockstep::compiler
