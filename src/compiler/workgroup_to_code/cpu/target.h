// The CPU that code is made for: this machine's, or LOCKSTEP_CPU.
#pragma once

#include "compiler/compile.h"

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// A new target machine (they may not be shared between threads).
std::unique_ptr<llvm::TargetMachine> make_target_machine(bool optimise);

} // namespace lockstep::compiler
