// Loops that end by themselves because they count, whatever memory holds.
//
// Such a loop has an exit that every round passes and that compares, by order, something that each
// round moves on in one direction: a variable, or a place in memory that the round adds to ("take
// the next piece of work until none is left"). When the count has gone as far as it can, that exit
// is taken, so nobody else is needed. A variable that each round halves until it is zero counts, too.
//
// That is in nobody's time if the bound has more than 32 bits, and never if the count begins anew
// before it comes to the bound (`i <= n`, steps that pass over the last values, a count of fewer bits),
// or if the loop moves the bound on as well: a watchdog that stays awake as long as somebody is there.
//
// For a count in memory that takes more than an atomic addition. Nothing in the loop may turn it
// back (`while (atomic_inc(l) != 0) atomic_dec(l)`), and to wait for one value that it may have
// passed is no order (`!=`), nor is the wrong direction (`while (atomic_dec(free) <= 0) ;`).
#pragma once

#include "llvm/Analysis/AliasAnalysis.h"

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace lockstep::compiler {

struct CountedLoop {
  bool counts = false;
  // Nobody knows whether it gets to its bound, or not in anybody's time: what others write, to the
  // bound or elsewhere, may be all that ends it.
  bool bound_is_out_of_reach = false;
};

// `synchronises`: an access of the loop, besides the counter itself, orders its plain accesses with
// those of others (waits.h), so that a plain store may turn back what others count.
CountedLoop examine_count(const llvm::Loop &loop, const llvm::DominatorTree &dominators,
                          llvm::ScalarEvolution &evolution, llvm::AAResults &aliases,
                          llvm::function_ref<bool(const llvm::Instruction &counter)> synchronises);

} // namespace lockstep::compiler
