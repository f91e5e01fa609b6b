// Where in a round of its loop a work-item that waits is suspended.
//
// All memory that others see of it is as it is at that place, for as long as it waits. So it should
// hold nothing there: between what it gives back and what it takes again. On the loop's way back
// that is so as the source says it, but optimisation turns loops round:
//     take(l);                               take(l);
//     while (!condition) {                   if (!condition)
//       give_back(l);              becomes     do {
//       take(l);                                 give_back(l);
//     }                                          take(l);
//                                              } while (!condition);
// On the way back of the second the lock is held: suspended there it would never be seen free. So
// the round is looked through for an atomic write that is followed by an update whose result
// matters, and that is not the other way round at the way back.
//
// Where a work-item first looks and then takes (Dekker's algorithm raises a flag, looks at the
// other's, and lowers its own), the way back stays.
#pragma once

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

// Before that instruction, which every round comes to once; null: on the way back.
llvm::Instruction *place_between_rounds(const llvm::Loop &loop, const llvm::LoopInfo &loops,
                                        const llvm::DominatorTree &dominators);

} // namespace lockstep::compiler
