// Finds loops that wait: their end depends on what other work-items write to memory.
//
// A work-item that waits must give way to the one it waits for: lanes of a sub-group run in lock
// step, work-items of a group one after the other, and groups on as many threads as there are. So a
// kernel with such a loop gets the resumable form.
//
// A loop waits if a condition for leaving it depends on an atomic or volatile access inside it: by
// data, by the branches that decide which value a phi takes or whether an exit is reached at all,
// or through memory that the loop itself writes (one work-item polls and tells the others by a
// local variable and a barrier). Two patterns do not wait, although they look so:
//   - the compare-and-swap retry loop, which goes round only if a swap failed that expected what it
//     had just read: somebody else's swap succeeded, so somebody always makes progress. What it
//     expects must be what it read and nothing made of that: `old & ~LOCKED` is a lock;
//   - a counter that each access moves on (take the next piece of work until none is left).
//
// A flag that is neither atomic nor volatile is no wait: to write it meanwhile is a data race, and
// the optimiser has moved the load out of the loop before we look.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace llvm {
class AtomicCmpXchgInst;
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct Wait {
  llvm::Loop *loop = nullptr;
  // The accesses that others may change and the end depends on, in no particular order.
  llvm::SmallVector<llvm::Instruction *, 2> accesses;
  // Values that the loop carries from one round to the next and the end depends on.
  llvm::SmallVector<llvm::PHINode *, 2> state;
};

// Outer loops first. Loops must have one latch (LoopSimplify).
std::vector<Wait> find_waits(llvm::Function &function, const llvm::LoopInfo &loops,
                             const llvm::DominatorTree &dominators);

// The swap of a loop that goes round only because this swap failed, since somebody else's
// succeeded; null for all other loops.
llvm::AtomicCmpXchgInst *retried_swap(const llvm::Loop &loop,
                                      const llvm::DominatorTree &dominators);

// An atomic or volatile access of memory that is not private.
bool may_be_changed_by_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
