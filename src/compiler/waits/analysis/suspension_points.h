// Chooses where in an iteration of its loop a waiting work-item is suspended.
//
// While the work-item is suspended, others see memory as it is at that point. So it should hold no
// lock there: the point is between a release and the next acquisition. In the source, that is the
// loop's back edge, but optimization rotates loops:
//
//     take(l);                               take(l);
//     while (!condition) {                   if (!condition)
//       give_back(l);              becomes     do {
//       take(l);                                 give_back(l);
//     }                                          take(l);
//                                              } while (!condition);
//
// At the back edge of the second loop the lock is held: a work-item that is suspended there would
// never let others see it free. So we look for an atomic write that is followed by an update whose
// result is used, unless the back edge already separates them in the right order.
//
// Where a work-item first checks and then takes, the back edge stays. An example is Dekker's
// algorithm, which raises a flag, checks the other flag, and lowers its own.
#pragma once

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

// Suspend before the returned instruction, which every iteration executes once. Null: suspend at
// the back edge.
llvm::Instruction *suspension_point_of(const llvm::Loop &loop, const llvm::LoopInfo &loops,
                                       const llvm::DominatorTree &dominators);

} // namespace lockstep::compiler
