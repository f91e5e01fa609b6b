// Selects the target processor and creates LLVM target machines for it.
#pragma once

#include "compiler/options/code_options.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// The kinds of processors that code is generated for.
enum class TargetKind { cpu, nvidia };

// By the name of the processor: NVIDIA's are called "sm_90" and so on.
TargetKind target_kind(const TargetInfo &target);

// Whether an integer division by zero ends the program.
bool division_traps(const TargetInfo &target);

// The processor with this name. Falls back to this machine's processor without a name, and with a
// warning if LLVM does not know the name.
TargetInfo find_target(const std::optional<std::string> &cpu);

// The processor of this machine's architecture that has the fewest instructions.
TargetInfo least_target();

// True if code for the processor `code` runs on the processor `machine`, which has all of its
// instructions. Where LLVM does not list the instructions of a processor, only if both are equal.
bool runs_on(const TargetInfo &code, const TargetInfo &machine);
// The number of instruction set extensions that code for this processor may use.
std::size_t count_extensions(const TargetInfo &target);

// True if LLVM knows a processor of this machine's architecture with this name.
bool is_processor(const std::string &name);

// The same processor without its widest vectors; nullopt if they have 128 bits.
std::optional<TargetInfo> narrower_target(const TargetInfo &target);

// Creates a target machine; threads must not share one. Returns null if LLVM has no code generator
// for the processor.
std::unique_ptr<llvm::TargetMachine> make_target_machine(const TargetInfo &target, bool optimize);

} // namespace lockstep::compiler
