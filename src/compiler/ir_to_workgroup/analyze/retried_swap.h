// Finds compare-and-swap retry loops: loops that begin another iteration only because their own swap
// failed, which expected what this iteration, or the swap that failed before, read there.
//
// Such a swap fails only because another work-item wrote that location meanwhile. So some work-item
// always makes progress (lock-free progress), and the loop does not wait: alone it ends at its
// second swap. Requires a loop with one latch (LoopSimplify). Recognised are
//   - a swap that decides by its flag or by what it returned, through casts, negations and further
//     conditions that also end the loop;
//   - an expected value that is a load of the location, what an update that changes nothing returned
//     (`atomic_add(p, 0)`, `atomic_cmpxchg(p, 0, 0)`), or what the failed swap returned; as an
//     integer, a pointer or a floating-point number of the same bits.
// A loop is not one if it may begin another iteration although its swap succeeded, or without one.
// Then it spins until a value appears: a lock, `atomic_cmpxchg(l, 0, 1) != 0`, or `old & ~LOCKED` as
// the expected value. Nor is a comparison of floating-point numbers enough: a NaN that was swapped
// is unlike itself.
#pragma once

namespace llvm {
class AtomicCmpXchgInst;
class Loop;
} // namespace llvm

namespace lockstep::compiler {

// Null if the loop is not such a loop.
llvm::AtomicCmpXchgInst *retried_swap(const llvm::Loop &loop);

} // namespace lockstep::compiler
