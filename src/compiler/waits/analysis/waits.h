// Finds loops that wait: their end depends on what other work-items write to memory.
//
// A work-item that waits must yield to the one that it waits for. Lanes of a sub-group run in lock
// step, sub-groups of a group one after another, and groups on a limited number of threads. So a
// kernel with such a loop gets the coroutine form.
//
// A loop waits if its end depends on memory (loop_slice.h) that other work-items may write between
// two iterations without a data race. Such memory is
//   - what the loop reads by an atomic or volatile access, and
//   - what it reads by an ordinary load or a copy, if the loop also synchronizes: by an acquire
//     access, or by an atomic or volatile access and a fence, provided that the value of the access
//     is used. Without synchronization the write would be a race. OpenCL 1.x programs are treated
//     as they are written: an atomic function at a fixed address may be a lock, and a fence alone
//     makes a plain flag one that may be polled.
//
// Two kinds of loops end without others:
//   - the compare-and-swap retry loop (retry_loops.h);
//   - a counting loop (bounded_loops.h). Ordinary loads and the counter itself do not make it a
//     wait. Another atomic access does: polling for a limited time is a wait for that time.
//
// Local memory that is read between barriers of the loop is not a reason of its own. Every
// work-item takes part in each iteration, so only the origin of the values written there matters.
//
// Polling a plain flag without synchronization is a data race, and the optimizer has already
// hoisted the load. For race checks, races/pin_plain_waits.h turns such a loop into a wait.
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
  // The accesses that other work-items may change and that the end depends on, unordered.
  llvm::SmallVector<llvm::Instruction *, 2> accesses;
  // Values carried to the next iteration on which the end or the loop's writes depend. A loop that
  // counts until it sets a flag for others makes progress as well.
  llvm::SmallVector<llvm::PHINode *, 2> state;
  // The loop also counts, so it ends without other work-items: it waits for a limited time.
  bool is_limited = false;
};

struct WaitAnalyses {
  const llvm::LoopInfo &loops;
  const llvm::DominatorTree &dominators;
  llvm::ScalarEvolution &evolution;
  llvm::AAResults &aliases;
};

// Returns outer loops first. Loops must have one latch (LoopSimplify).
std::vector<Wait> find_waits(llvm::Function &function, const WaitAnalyses &analyses);

// Returns false only if no loop of the function can be a wait.
bool may_wait(const llvm::Function &function);

// True for an atomic or volatile access to memory that is not private, including copies of volatile
// structures.
bool may_be_changed_by_others(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
