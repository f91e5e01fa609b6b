// Finds the loop variables that have few values, which depend on nothing but the iteration: which
// half of a double buffer is read (`now = 1 - now`, `step & 1`), or which of two swapped pointers
// points to which array (separate_objects.h).
//
// A state is the values of all of them in one iteration. After the last state, one of the earlier
// states follows again, or the loop ends. A proof looks at each state separately.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace llvm {
class BasicBlock;
class Loop;
class LoopInfo;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Values of the loop's variables, and of instructions that mask an induction variable (`step & 1`).
// Zero-extended.
using LoopState = llvm::DenseMap<const llvm::Value *, uint64_t>;

struct LoopStates {
  const llvm::Loop *loop = nullptr;
  std::vector<LoopState> states;         // of the first iterations
  std::optional<std::size_t> after_last; // nullopt: the loop ends

  // Changes the state to the one after the edge. No state: outside of the loop, before the first
  // iteration. Returns false if the loop ends instead.
  bool pass(const llvm::BasicBlock *from, const llvm::BasicBlock *to,
            std::optional<std::size_t> &state) const;
};

// The loops that have at least two states. A loop may be listed twice: without the variables that
// have another value in each of many iterations, and with them (the stride of a loop that doubles
// it, the column of a factorization), up to 64 iterations.
std::vector<LoopStates> find_loop_states(const llvm::LoopInfo &loops);

} // namespace lockstep::compiler
