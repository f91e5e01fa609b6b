// Finds loops that wait: their end depends on what other work-items write to memory.
//
// A work-item that waits must give way to the one it waits for: lanes of a sub-group run in lock
// step, work-items of a group one after the other, and groups on as many threads as there are. So a
// kernel with such a loop gets the resumable form.
//
// A loop waits if it would go on for ever, as far as can be told, while nobody else writes memory,
// and others may end it. So its end must depend on memory (loop_slice.h) that others may write from
// one round to the next without a data race. That is
//   - what the loop reads by an atomic or volatile access, and
//   - what it reads by an ordinary load, or copies, if the loop also synchronises: by an access
//     that acquires, or by any atomic or volatile one and a fence, if something looks at the value
//     that it reads; else nobody could know which came first, and it would be a race. Programs of
//     OpenCL 1.x are taken at their custom: an atomic function at a fixed place may be a lock, and
//     a fence alone makes a plain flag one that may be polled. Two kinds of loop end by themselves:
//   - the compare-and-swap retry loop (retried_swap.h);
//   - one that counts (counted_loops.h), in a variable or in memory ("take the next piece of work
//     until none is left"). Ordinary loads do not make it a wait, nor does the place where it
//     counts; another atomic access does, since to poll for a limited time is to wait for that
//     time. Local memory that is read between barriers of the loop is no reason of its own: every
//     work-item of the group takes part in each round, so what matters is where the values written
//     to it come from.
//
// A flag that is read by an ordinary load in a loop without any of these is no wait: to write it
// meanwhile is a data race, and the optimiser has moved the load out of the loop before we look. While somebody looks for
// races, check/hold_plain_waits.h makes one of it.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace llvm {
class AAResults;
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class ScalarEvolution;
} // namespace llvm

namespace lockstep::compiler {

struct Wait {
  llvm::Loop *loop = nullptr;
  // The accesses that others may change and the end depends on, in no particular order.
  llvm::SmallVector<llvm::Instruction *, 2> accesses;
  // Values that the loop carries from one round to the next and the end depends on, or what it
  // writes: who counts until it sets a flag for others is no less alive.
  llvm::SmallVector<llvm::PHINode *, 2> state;
  // The loop counts as well, so it ends without others: it waits for a limited time.
  bool is_limited = false;
};

struct WaitAnalyses {
  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  llvm::ScalarEvolution &evolution;
  llvm::AAResults &aliases;
};

// Outer loops first. Loops must have one latch (LoopSimplify).
std::vector<Wait> find_waits(llvm::Function &function, const WaitAnalyses &analyses);

// False only if no loop of the function can be a wait.
bool may_wait(const llvm::Function &function);

// An atomic or volatile access of memory that is not private; volatile structures are copied.
bool may_be_changed_by_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
