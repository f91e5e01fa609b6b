// Matches waits with the async copies that they wait for, as far as the code alone shows it:
// record-arguments has marked the events of both.
#pragma once

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

// The __lockstep_record_copy of a group copy; null if there is none, so that its event is unknown.
const llvm::Instruction *event_of_copy(const llvm::Instruction &copy);

// True if the wait waits for the last copy that `copy` has started. A copy with an unknown event
// matches every wait.
bool waits_for(const llvm::Instruction &wait, const llvm::Instruction &copy);

} // namespace lockstep::compiler
