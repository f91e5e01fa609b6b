// Finds the additions to counters after which a work-group has no other effect.
//
//     if (get_local_id(0) == 0)
//       atomic_fetch_add_explicit(&arrived[parent], 1, memory_order_release);   // and the group ends
//
// Nothing of the group comes after such an addition, so a later addition is as right as that of a
// slower group. The launch makes one addition for several groups (resumable_abi.h), which saves
// locked instructions and transfers of the counter's cache line.
//
// Requires: the function of a whole group in the coroutine form, before make-coroutine changes it.
// Ensures: an addition counts if its result is not used, it is in no loop, and no path from it writes
// memory of others, reads it in an order, or is suspended. Private and local memory are the group's own.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AtomicRMWInst;
class Function;
} // namespace llvm

namespace lockstep::compiler {

llvm::SmallVector<llvm::AtomicRMWInst *, 4> last_additions(llvm::Function &function);

} // namespace lockstep::compiler
