// Built-in variables (BuiltIn): their values are results of the work-item functions of OpenCL C.
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

// Checks that kernels have the built-in variable, and that `type` can hold it.
Result<void> check_built_in(const Instruction &variable, spv::BuiltIn built_in, const Type &type);

// Builds the value at the builder's place. The type was checked.
llvm::Value *built_in_value(FunctionReader &reader, spv::BuiltIn built_in, const Type &type);

} // namespace lockstep::compiler::spirv
