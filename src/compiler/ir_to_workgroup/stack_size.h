// How much stack a work-group function may use.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
}

namespace lockstep::compiler {

// Bytes: all allocas (those counted by sub-groups at their largest), those of kept functions that it calls, and an
// allowance for spills and host calls.
uint64_t stack_size(const llvm::Function &function);

} // namespace lockstep::compiler
