// Machine code for a module: an object file, or assembly text for people.
#pragma once

#include "support/result.h"

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

Result<std::string> emit_object(llvm::Module &module, llvm::TargetMachine &target);
Result<std::string> emit_assembly(llvm::Module &module, llvm::TargetMachine &target);

} // namespace lockstep::compiler
