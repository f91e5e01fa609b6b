// Finds loops that terminate because they count, whatever memory holds.
//
// Such a loop has an exit that every iteration passes. The exit compares, by order, a bound with a
// counter that each iteration moves in one direction. The counter is a variable or a location in
// memory that the iteration adds to ("take the next piece of work until none is left"). The loop
// therefore needs no other work-item to end. A variable that each iteration halves until it is zero
// counts, too.
//
// The bound is out of reach
//   - if it is wider than 32 bits, because the count takes too long in practice;
//   - if the counter wraps first: `i <= n`, steps that skip the last values, a counter with fewer
//     bits;
//   - if the loop also moves the bound, such as a watchdog that extends its own timeout.
//
// A counter in memory requires more than an atomic addition: nothing in the loop may move it back
// (`while (atomic_inc(l) != 0) atomic_dec(l)`). A wait for one value is not an ordered comparison
// (`!=`), and neither direction may be wrong (`while (atomic_dec(free) <= 0) ;`).
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
  // The loop may not reach its bound in a reasonable time. Writes of other work-items, to the bound
  // or elsewhere, may be all that ends it.
  bool bound_is_out_of_reach = false;
};

// `synchronizes` returns true if an access of the loop other than `counter` orders its plain
// accesses with those of other work-items (waits.h). A plain store may then move the counter back.
CountedLoop examine_count(const llvm::Loop &loop, const llvm::DominatorTree &dominators,
                          llvm::ScalarEvolution &evolution, llvm::AAResults &aliases,
                          llvm::function_ref<bool(const llvm::Instruction &counter)> synchronizes);

} // namespace lockstep::compiler
