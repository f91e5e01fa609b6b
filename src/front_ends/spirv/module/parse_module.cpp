// Checks the structure of a module in linear time, and sorts its instructions by what they belong
// to.
#include "front_ends/spirv/module/instruction_table.h"
#include "front_ends/spirv/module/module.h"
#include "front_ends/spirv/module/parse_sections.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

Error wrong(const Instruction &instruction, const std::string &rule) {
  return error_at(instruction, rule, ErrorKind::invalid_binary);
}

// Checks that each operand of the row exists: ids below the bound, strings that end.
Result<void> check_shape(const Instruction &instruction, uint32_t bound) {
  size_t at = 0;
  const size_t count = instruction.operands.size();
  for (const OperandPattern &pattern : instruction.row->operands)
    do {
      if (at >= count) {
        if (pattern.is_optional)
          return {};
        return wrong(instruction, fmt::format("operand {} is missing", at + 1));
      }
      if (pattern.operand_class == OperandClass::string) {
        const auto text = string_operand(instruction, at);
        if (!text)
          return wrong(instruction, fmt::format("the string in operand {} does not end", at + 1));
        at += string_words(*text);
        continue;
      }
      const uint32_t word = instruction.operands[at++];
      if (pattern.operand_class != OperandClass::word && (word == 0 || word >= bound))
        return wrong(instruction, fmt::format("operand {} is {}, which is not below the bound of "
                                              "ids",
                                              at, word));
    } while (pattern.is_repeated);
  if (at < count)
    return wrong(instruction, fmt::format("it has {} operands; at most {} are known", count, at));
  return {};
}

Result<void> check_instructions(const Words &words) {
  llvm::BitVector defined(words.bound);
  for (const Instruction &instruction : words.instructions) {
    if (instruction.row)
      LOCKSTEP_TRY(check_shape(instruction, words.bound));
    if (instruction.result == 0)
      continue;
    if (defined.test(instruction.result))
      return wrong(instruction, fmt::format("the id %{} is defined twice", instruction.result));
    defined.set(instruction.result);
  }
  return {};
}

// ---- functions ----

bool is_terminator(Op opcode) {
  switch (opcode) {
  case Op::OpBranch:
  case Op::OpBranchConditional:
  case Op::OpSwitch:
  case Op::OpReturn:
  case Op::OpReturnValue:
  case Op::OpUnreachable:
  case Op::OpKill:
  case Op::OpTerminateInvocation:
  case Op::OpIgnoreIntersectionKHR:
  case Op::OpTerminateRayKHR:
  case Op::OpEmitMeshTasksEXT:
    return true;
  default:
    return false;
  }
}

bool may_be_between_blocks(Op opcode) {
  return opcode == Op::OpLine || opcode == Op::OpNoLine || opcode == Op::OpExtInst;
}

// Reads the body of a block. Returns the index after its terminator.
Result<size_t> read_block(llvm::ArrayRef<Instruction> instructions, size_t at,
                          FunctionBody &function) {
  const Instruction &label = instructions[at];
  const size_t first = at + 1;
  for (size_t i = first; i < instructions.size(); ++i) {
    if (instructions[i].opcode == Op::OpLabel)
      break;
    if (!is_terminator(instructions[i].opcode))
      continue;
    function.blocks.push_back({label.result, &label, instructions.slice(first, i + 1 - first)});
    return i + 1;
  }
  return wrong(label, "the block does not end in a branch or return");
}

Result<void> read_blocks(FunctionBody &function) {
  for (size_t i = 0; i < function.instructions.size();) {
    const Instruction &instruction = function.instructions[i];
    if (instruction.opcode == Op::OpLabel) {
      auto next = read_block(function.instructions, i, function);
      LOCKSTEP_TRY(next);
      i = *next;
      continue;
    }
    if (instruction.opcode == Op::OpFunctionParameter && function.blocks.empty())
      function.parameters.push_back(&instruction);
    else if (!may_be_between_blocks(instruction.opcode))
      return wrong(instruction, "the instruction is in no block");
    ++i;
  }
  return {};
}

// Reads a function that begins at `at`. Returns the index after its end.
Result<size_t> read_function(llvm::ArrayRef<Instruction> instructions, size_t at, Module &module) {
  FunctionBody function;
  function.head = &instructions[at];
  for (size_t i = at + 1; i < instructions.size(); ++i) {
    if (instructions[i].opcode == Op::OpFunction)
      break;
    if (instructions[i].opcode != Op::OpFunctionEnd)
      continue;
    function.instructions = instructions.slice(at + 1, i - at - 1);
    LOCKSTEP_TRY(read_blocks(function));
    module.functions.push_back(std::move(function));
    return i + 1;
  }
  return wrong(instructions[at], "the function does not end");
}

Result<void> read_sections(Module &module) {
  llvm::ArrayRef<Instruction> instructions(module.words.instructions);
  Section section = Section::capabilities;
  for (size_t i = 0; i < instructions.size();) {
    const Instruction &instruction = instructions[i];
    const Section here = section_of(instruction);
    if (here == Section::inside_functions)
      return wrong(instruction, "the instruction is in no function");
    // Lines and extended instructions (debug information) may be between functions, too.
    if (here < section && !may_be_between_blocks(instruction.opcode))
      return wrong(instruction, "it belongs into an earlier section (SPIR-V 2.4, logical layout of "
                                "a module)");
    section = std::max(section, here);
    if (instruction.opcode == Op::OpFunction) {
      auto next = read_function(instructions, i, module);
      LOCKSTEP_TRY(next);
      i = *next;
      continue;
    }
    LOCKSTEP_TRY(read_module_instruction(instruction, module));
    ++i;
  }
  return {};
}

} // namespace

Result<Module> parse_module(std::string_view binary) {
  Module module;
  auto words = split_words(binary);
  LOCKSTEP_TRY(words);
  module.words = std::move(*words);
  LOCKSTEP_TRY(check_instructions(module.words));
  LOCKSTEP_TRY(read_sections(module));
  LOCKSTEP_TRY(resolve_annotations(module));
  return module;
}

} // namespace lockstep::compiler::spirv
