// The parts of parse_module() for instructions outside of functions.
#pragma once

#include "front_ends/spirv/module/module.h"

namespace lockstep::compiler::spirv {

// The sections of a module, in order (SPIR-V 2.4).
enum class Section {
  capabilities,
  extensions,
  imports,
  memory_model,
  entry_points,
  execution_modes,
  debug,
  annotations,
  globals, // types, constants, variables
  functions,
  inside_functions,
};

Section section_of(const Instruction &instruction);
Result<void> read_module_instruction(const Instruction &instruction, Module &module);
// Copies the decorations of groups to their targets, and lists specialization constants.
Result<void> resolve_annotations(Module &module);

} // namespace lockstep::compiler::spirv
