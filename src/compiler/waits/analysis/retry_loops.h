// Finds compare-and-swap retry loops: loops that repeat only because their own swap failed. The
// swap expects the value that this iteration, or the previous failed swap, read from the location.
//
// Such a swap fails only because another work-item wrote the location meanwhile. So some work-item
// always makes progress (lock-free progress), and the loop does not wait: without contention it
// ends at its second swap. Requires a loop with one latch (LoopSimplify). Recognized are
//   - a swap that decides by its flag or by its returned value, through casts, negations and
//     further conditions that also end the loop;
//   - an expected value that comes from a load of the location, from an update that changes nothing
//     (`atomic_add(p, 0)`, `atomic_cmpxchg(p, 0, 0)`), or from the failed swap. It may be an
//     integer, a pointer or a floating-point number with the same bits.
//
// A loop is rejected if it may repeat although its swap succeeded, or without a swap. Such a loop
// spins until a value appears: a lock, `atomic_cmpxchg(l, 0, 1) != 0`, or `old & ~LOCKED` as the
// expected value. A floating-point comparison is not enough either: a swapped NaN does not equal
// itself.
#pragma once

namespace llvm {
class AtomicCmpXchgInst;
class Instruction;
class Loop;
} // namespace llvm

namespace lockstep::compiler {

// Returns the swap of the retry loop; null if the loop is not one.
llvm::AtomicCmpXchgInst *retried_swap(const llvm::Loop &loop);

// True for an atomic update that leaves memory unchanged, so that its result is only a read.
bool changes_nothing(const llvm::Instruction &instruction);

} // namespace lockstep::compiler
