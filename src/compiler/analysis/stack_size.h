// Estimates the stack that a work-group function may use.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// Returns bytes: all allocas (those sized by the number of sub-groups at their maximum), those of
// out-of-line functions that it calls, and an allowance for spills and host calls.
uint64_t stack_size(const llvm::Function &function);

} // namespace lockstep::compiler
