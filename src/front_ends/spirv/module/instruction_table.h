// The table of all instructions that the reader knows (instructions.def,
// execution_instructions.def), with the types that their
// operands must have.
//
// A row's pattern is `result: operand operand ...`. Before the colon stands the class of the result
// type; nothing stands there if the instruction has no result type. A word is a class of types, or
// a class of literals, and may have suffixes:
//
//   ints=r    has the result's type
//   ints=1    has the type of operand 1 (operands count from 1, after the result)
//   bools#r   has as many components as the result (a scalar has 1)
//   word?     may be absent, like all that follow
//   any*      any number of times; the last word of a pattern
//
// The words are in operand_classes.def. The translator checks what a pattern cannot say.
#pragma once

#include "front_ends/spirv/module/words.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Value;
}

namespace lockstep::compiler::spirv {

class FunctionReader;

// Builds the IR of one instruction whose operands were checked against its row. Returns the value
// of the result, or null if the instruction has none.
using Translator = Result<llvm::Value *> (*)(FunctionReader &, const Instruction &);

enum class OperandClass : uint8_t {
#define SPIRV_CLASS(name, word) name,
#include "front_ends/spirv/module/operand_classes.def"
};

struct OperandPattern {
  OperandClass operand_class = OperandClass::id;
  bool is_optional = false, is_repeated = false;
  // same_type: equals the type of the result (0) or of operand N. Likewise same_count.
  std::optional<uint8_t> same_type, same_count;
};

struct InstructionRow {
  Op opcode = Op::OpNop;
  std::string_view name;
  // One that the module must declare or imply; Kernel: all modules may use the instruction.
  spv::Capability capability = spv::Capability::Kernel;
  Translator translate = nullptr; // null: not inside of functions
  bool has_result_type = false, has_result = false;
  OperandPattern result;
  llvm::SmallVector<OperandPattern, 6> operands;
};

// As patterns call it.
std::string_view word_of(OperandClass operand_class);

// The row of a pattern alone, for instructions of an extended set.
InstructionRow parse_pattern(std::string_view pattern);

// Null: the reader does not know the instruction.
const InstructionRow *find_row(Op opcode);

} // namespace lockstep::compiler::spirv
