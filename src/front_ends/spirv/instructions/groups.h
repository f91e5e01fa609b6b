// What instructions of groups share: the scope of execution, and values that may have types for
// which OpenCL C's functions have no version.
#pragma once

#include "front_ends/spirv/instructions/builtin_calls.h"

namespace lockstep::compiler::spirv {

// "work_group_" or "sub_group_".
Result<std::string_view> group_prefix(FunctionReader &reader, const Instruction &i, size_t scope);
// The scope of the instruction must be Subgroup.
Result<void> check_sub_group(FunctionReader &reader, const Instruction &i, size_t scope);

// `operation` gets the value, or each of its components, as a number. Its results have the same
// type, and become a value of the operand's type.
Result<llvm::Value *>
move_value(FunctionReader &reader, const Instruction &i, size_t operand,
           llvm::function_ref<Result<llvm::Value *>(llvm::Value *)> operation);

} // namespace lockstep::compiler::spirv
