// Stores launch assumptions (abi/assumptions.h) in the metadata of a kernel's module. Each pass
// that makes assumptions uses a name of its own.
#pragma once

#include "abi/assumptions.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

void set_assumptions(llvm::Module &module, llvm::StringRef name, const Assumptions &assumptions);
Assumptions assumptions_in(const llvm::Module &module,
                           llvm::StringRef name); // empty if the module has none

} // namespace lockstep::compiler
