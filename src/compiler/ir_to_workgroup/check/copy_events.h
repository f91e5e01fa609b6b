// Which async copies a wait waits for, as far as that is known from the code alone: by the events that both name
// (tell-arguments has noted them).
#pragma once

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

// The __lockstep_tell_copy of a group copy; null if there is none, as its event has no name then.
const llvm::Instruction *event_of_copy(const llvm::Instruction &copy);

// Does it wait for the last one that this copy has begun? Each wait does for a copy whose event has no name.
bool waits_for(const llvm::Instruction &wait, const llvm::Instruction &copy);

} // namespace lockstep::compiler
