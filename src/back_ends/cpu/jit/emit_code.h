// Generates machine code for a module: an object file, or assembly text for people.
#pragma once

#include "support/result.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

// The object or text, and remarks of the code generator: instructions, stack, and spilled registers
// (how many, and in which loops).
struct EmittedCode {
  std::string bytes;
  std::vector<std::string> remarks;
};

Result<EmittedCode> emit_object(llvm::Module &module, llvm::TargetMachine &target);
Result<EmittedCode> emit_assembly(llvm::Module &module, llvm::TargetMachine &target);

} // namespace lockstep::compiler
