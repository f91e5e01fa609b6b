// Finds loops that wait: their end depends on what other work-items write to memory.
//
// Lanes of a sub-group run in lock step. A lane that spins until another lane of the same sub-group
// lets go of a lock would spin for ever, since the other one is held back by the first. So a kernel
// that waits is not packed into lanes.
//
// A loop waits if a condition for leaving it depends on an atomic or volatile access inside it. Two
// patterns do not, although they look so:
//   - the compare-and-swap retry loop: it fails only because another work-item's swap succeeded, so
//   somebody always
//     makes progress, and in lock step the lanes succeed one after the other;
//   - a counter that each access moves on (take the next piece of work until none is left).
#pragma once

namespace llvm {
class Function;
class Instruction;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

// The access that a loop waits on, or null.
const llvm::Instruction *find_wait(const llvm::Function &function, const llvm::LoopInfo &loops);

} // namespace lockstep::compiler
