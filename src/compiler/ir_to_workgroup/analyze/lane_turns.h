// Code that lanes run one at a time, each to its end: its turn.
//
// Where lanes contend, lock step is the wrong order. Of W lanes that swap at one address, one wins
// a round, and the W - 1 others computed for nothing; of W lanes that spin on one lock, none may
// wait while another one holds it. Both go well if each lane in turn does all of its part before
// the next one begins. Two kinds of code are found here:
//
// The retry: a loop that goes round only because its compare-and-swap failed (waits.h), with the
// load that gives the first expected value, so that a lane starts from what the lane before left.
// Nobody waits in it, so lanes one after the other are as legal an order as any, and each turn
// ends.
//
// The lock: `while (cas(lock, free, taken) != free) ; ... ; *lock = free`, from the loop to the
// release. A lane whose turn it is may wait, and holds the others back meanwhile. That is right if
// it could not be otherwise, and nobody can tell:
//   - Lanes whose turn has yet to come wait for the same: every round of the loop tries, the
//     address is the same for all lanes and rounds, what it expects is a constant, nothing but its
//     success ends the loop, and a round that fails writes nothing. While one lane cannot enter,
//     no other one could, nor do anything that is seen.
//   - Lanes whose turn is over hold nothing: on every way from the loop the lock is given back, by
//     one and the same store of what the loop expects, with nothing between that waits or meets
//     others. That they are silent from there on is checked by wait_lanes.h.
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

struct LaneTurn {
  llvm::Loop *loop = nullptr;
  llvm::Instruction *begin = nullptr;                    // the turn's first instruction
  llvm::Instruction *end = nullptr;                      // the first one after it
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> blocks; // that lie in it, or end in it
  const llvm::Value *lock = nullptr;                     // null: a retry
};

// `waits`: all that the kernel has.
std::optional<LaneTurn> find_lock(llvm::Loop &loop, const std::vector<Wait> &waits,
                                  const llvm::LoopInfo &loops,
                                  const llvm::DominatorTree &dominators,
                                  const Uniformity &uniformity);

// A retry is a turn where that is faster; may move the load before it.
std::optional<LaneTurn> find_retry(llvm::Loop &loop, const Uniformity &uniformity);

// Puts `__lockstep_turn_begin` and `__lockstep_turn_end` around it.
void mark_turn(LaneTurn &turn);

} // namespace lockstep::compiler
