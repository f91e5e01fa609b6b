// Finds where a work-group is about to take a lock.
//
// A lock is held by one group at a time, and its cache lines travel whenever another core takes it.
// If a worker runs several groups up to the lock and then lets them take it one after the other, the
// lines travel once for all of them (runtime/launch/cpu/resumable/lock_queues.h). So a group stops
// once before it takes a lock. No other group can observe that it stops.
//
//     if (get_local_id(0) == 0) {
//       // here
//       while (atomic_xchg(lock, 1) != 0) ;
//       ...
//       *lock = 0;
//     }
//
// A wait is for a lock if one work-item of the group waits, outside of other loops, its loop changes
// what it waits for by an atomic update, and the kernel also writes it elsewhere. A ticket lock is
// none: decision 0026 says why.
#pragma once

#include "compiler/waits/analysis/waits.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <optional>

namespace llvm {
class BasicBlock;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct LockEntry {
  llvm::Instruction *before; // the group may stop before this instruction
  llvm::Value *lock;         // an address; groups that take the same lock have the same
};

// `of_one_item`: the blocks that at most one work-item of a group enters.
std::optional<LockEntry>
find_lock_entry(const Wait &wait,
                const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &of_one_item);

} // namespace lockstep::compiler
