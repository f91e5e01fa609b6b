// The functions that translate instructions, as instructions.def and execution_instructions.def
// name them. A translator handles a family of instructions.
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

#define SPIRV_TRANSLATOR(name)                                                                     \
  Result<llvm::Value *> translate_##name(FunctionReader &reader, const Instruction &instruction);
#include "front_ends/spirv/instructions/translators.def"
#define SPIRV_TRANSLATOR(name)                                                                     \
  Result<llvm::Value *> translate_##name(FunctionReader &reader, const Instruction &instruction);
#include "front_ends/spirv/instructions/execution_translators.def"

} // namespace lockstep::compiler::spirv
