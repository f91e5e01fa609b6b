// Places the program-scope variables of a program in one block of device memory.
#pragma once

#include "back_ends/nvidia/ptx_code.h"
#include "support/result.h"

#include <cstdint>
#include <vector>

namespace llvm {
class Module;
}

namespace lockstep::compiler {

// Requires: a program after extract_program_variables (share_program_variables.h).
// Returns the offset of each variable, by its number, and at the end the size of the block.
std::vector<uint64_t> place_variables(const llvm::Module &variables);

// The initial contents. Requires the same.
Result<PtxVariables> initial_variables(const llvm::Module &variables);

} // namespace lockstep::compiler
