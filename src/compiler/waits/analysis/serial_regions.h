// Finds serialized regions ("turns"): code that lanes execute one at a time, each lane to the end
// of the region.
//
// Lock step is the wrong order for lanes that contend. If W lanes swap at one address, one wins per
// iteration and W - 1 computed in vain. If W lanes spin on one lock, none may wait while another
// one holds it. There are two kinds of regions:
//
// Retry: a loop that repeats only because its compare-and-swap failed (waits.h), with the load of
// the first expected value. No lane waits in it, so any lane order is legal and each turn ends.
//
// Lock: `while (cas(lock, free, taken) != free) ; ... ; *lock = free`, from the loop to the
// release. A lane in its turn may wait and holds the others back. That is correct if the others
// could not progress anyway and cannot observe the difference:
//   - Lanes whose turn is still to come wait for the same lock. Every iteration tries to take it,
//     the address is uniform and invariant, the expected value is a constant, only success ends the
//     loop, and an iteration that fails writes nothing.
//   - Lanes whose turn is over hold nothing. On every path from the loop, the same store of the
//     expected value releases the lock, without a wait or a convergent operation before it.
//     wait_lanes.h checks that these lanes have no visible effects afterwards.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"

#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Function;
class Instruction;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class Uniformity;
struct Wait;

struct SerialRegion {
  llvm::Loop *loop = nullptr;
  llvm::Instruction *begin = nullptr;                    // first instruction of the region
  llvm::Instruction *end = nullptr;                      // first instruction after the region
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> blocks; // inside the region, or containing `end`
  const llvm::Value *lock = nullptr;                     // null for a retry
};

// `waits`: all waits of the kernel.
std::optional<SerialRegion> find_lock(llvm::Loop &loop, const std::vector<Wait> &waits,
                                      const llvm::LoopInfo &loops,
                                      const llvm::DominatorTree &dominators,
                                      const Uniformity &uniformity);

// Returns a retry loop if serializing it is faster. May move the load before it.
std::optional<SerialRegion> find_retry(llvm::Loop &loop, const Uniformity &uniformity);

// Inserts `__lockstep_serial_begin` and `__lockstep_serial_end` around the region.
void mark_serial_region(SerialRegion &region);

} // namespace lockstep::compiler
