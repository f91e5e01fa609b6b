// Checks instructions against their rows (instruction_table.h).
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

// The type of the result of an instruction, which must have the class of its row.
Result<const Type *> check_result_type(const Reader &reader, const Instruction &instruction);

// Checks the result and the operands. Afterwards each operand that is the id of a value is defined
// and has a type of its class.
Result<void> check_operands(FunctionReader &reader, const Instruction &instruction);

} // namespace lockstep::compiler::spirv
