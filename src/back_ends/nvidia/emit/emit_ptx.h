// Generates PTX for a module.
#pragma once

#include "support/result.h"

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

// The text has passed check_ptx.h. A function that is called but not defined is a build failure that
// names it.
Result<std::string> emit_ptx(llvm::Module &module, llvm::TargetMachine &target);

} // namespace lockstep::compiler
