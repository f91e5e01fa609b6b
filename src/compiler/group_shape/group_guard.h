// Lets whole groups leave at the entry of a kernel whose groups are coalesced:
//
//     if (get_global_id(1) >= n) return;
//     for (...) { ...; barrier(CLK_LOCAL_MEM_FENCE); ... }
//
// Groups that leave would not meet the others at the barriers. Few calls have such groups, so there
// are two versions of the code behind the guard:
//
//     all groups stay?  ─ yes ─>  the code as it was
//       └ no ─> does any stay?  ─ yes ─>  the code, in which a group that leaves has the ids of one
//                  └ no ─> return          that stays, and stores nothing to global memory
//
// Requires: the kernel of one work-item. A value is the number of the group among those of a call.
// Ensures (add_version_for_guard): the branch at the entry is the same for all groups of a call.
//
// The second version computes the same for a group that leaves as for the one that stays, so both
// take the same branches and reach the same barriers. Its local memory is the group's own.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace llvm {
class BranchInst;
class CallInst;
class Function;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

struct GroupGuard {
  llvm::BranchInst *branch; // ends the entry block
  unsigned side;            // the successor of groups that stay
};

// Pairs of the id of a call's first group and the sum of it and `number`.
using GroupIds = llvm::ArrayRef<std::pair<llvm::CallInst *, llvm::Instruction *>>;

// Returns nullopt if there is no such guard, or the code behind it has no barrier, or writes memory
// other than by plain stores.
std::optional<GroupGuard> find_group_guard(llvm::Function &function, GroupIds ids,
                                           const llvm::Instruction &number);

// `number`: of the group, below `count`.
void add_version_for_guard(llvm::Function &function, const GroupGuard &guard, GroupIds ids,
                           llvm::Instruction &number, uint32_t count);

} // namespace lockstep::compiler
