// Splits a SPIR-V binary into instructions. The binary is untrusted: each word count and string is
// checked here, so later code need not look beyond the operands of an instruction.
#pragma once

#include "support/result.h"

#include "spirv/unified1/spirv.hpp11"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler::spirv {

using spv::Op;
using Id = uint32_t; // 0 is not an id
// A map by words of the module. DenseMap reserves two keys, which no word may be: a lookup of a
// reserved key finds an empty place.
template <class T> using IdMap = llvm::DenseMap<uint64_t, T>;
struct InstructionRow;

struct Instruction {
  Op opcode = Op::OpNop;
  const InstructionRow *row = nullptr; // null: an instruction that no row of instructions.def names
  unsigned line = 0;                   // as spirv-dis prints it
  Id result_type = 0, result = 0;      // 0: the instruction has none
  llvm::ArrayRef<uint32_t> operands;   // the words after them
};

struct Words {
  uint32_t version = 0; // as in the header: 0x00010400 is 1.4
  uint32_t bound = 0;   // all ids are below
  std::vector<uint32_t> words;
  std::vector<Instruction> instructions; // their operands are in `words`
};

// Accepts both byte orders. ErrorKind::invalid_binary: the header or a word count is wrong, or an
// instruction is too short for its result.
Result<Words> split_words(std::string_view binary);

// The string that begins at operand `first`. Absent: it does not end.
std::optional<llvm::StringRef> string_operand(const Instruction &instruction, size_t first);
// The number of words of a string that string_operand() found.
size_t string_words(llvm::StringRef text);

// "OpIAdd", or "opcode 4711".
std::string name_of(const Instruction &instruction);

// `program.spv:143: OpIAdd: operand 2 is float, not int`. Operands count from 1, after the result.
Error error_at(const Instruction &instruction, const std::string &rule,
               ErrorKind kind = ErrorKind::build_failure);
Error error_at(const Instruction &instruction, size_t operand, const std::string &rule,
               ErrorKind kind = ErrorKind::build_failure);

} // namespace lockstep::compiler::spirv
