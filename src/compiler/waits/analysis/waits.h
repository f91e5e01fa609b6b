// Finds loops that wait: their end depends on what other work-items write to memory.
//
// A work-item that waits must yield to others. Lanes run in lock step, sub-groups in sequence,
// groups on a limited number of threads. So it gets the coroutine form.
//
// A loop waits if its end depends on memory (loop_slice.h) that other work-items may write between
// two iterations without a data race. Such memory is read
// - by an atomic or volatile access, or
// - by an ordinary load or a copy, if the loop also synchronizes: by an acquire access, or by a
//   fence and an atomic or volatile access whose value is used. In OpenCL 1.x a fence alone is
//   sufficient, and an atomic function at a fixed address may be a lock.
//
// Retry loops (retry_loops.h) and counting loops (bounded_loops.h) end without others. A counting
// loop with another atomic access waits for a limited time.
//
// Local memory that is read between barriers of the loop does not count: each iteration has all
// work-items.
//
// Polling a plain flag is a data race, and the optimizer has hoisted the load. For race checks,
// races/pin_plain_waits.h makes such a loop a wait.
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
