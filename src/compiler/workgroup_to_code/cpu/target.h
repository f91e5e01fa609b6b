// The CPU that code is made for.
#pragma once

#include "compiler/code_options.h"

#include <memory>
#include <optional>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// The processor of that name as LLVM knows it, else (with a warning, if the name is not known) this machine's.
TargetInfo find_target(const std::optional<std::string> &cpu);

// The same processor without its widest vectors; nothing if these have 128 bits.
std::optional<TargetInfo> narrower_target(const TargetInfo &target);

// A new target machine (they may not be shared between threads); null: LLVM has no code generator for it.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const TargetInfo &target, bool optimise);

} // namespace lockstep::compiler
