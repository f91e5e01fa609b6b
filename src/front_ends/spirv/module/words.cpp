#define SPV_ENABLE_UTILITY_CODE
#include "front_ends/spirv/module/words.h"

#include "front_ends/common/device_features.h"
#include "front_ends/spirv/module/instruction_table.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr size_t header_words = 5;
constexpr unsigned header_lines = 5;          // that spirv-dis prints before the first instruction
constexpr uint32_t largest_bound = 4'194'303; // SPIR-V 2.17, universal limits

Error invalid(std::string sentence) {
  return {ErrorKind::invalid_binary, std::move(sentence)};
}

Result<std::vector<uint32_t>> host_words(std::string_view binary) {
  if (binary.size() < header_words * 4 || binary.size() % 4 != 0)
    return invalid("the module is not SPIR-V: its size is not a multiple of 4 bytes, or is below "
                   "the 20 bytes of a header");
  std::vector<uint32_t> words(binary.size() / 4);
  std::memcpy(words.data(), binary.data(), binary.size());
  if (words[0] == llvm::byteswap(spv::MagicNumber))
    for (uint32_t &word : words)
      word = llvm::byteswap(word);
  if (words[0] != spv::MagicNumber)
    return invalid(fmt::format("the module is not SPIR-V: its first word is {:#010x}", words[0]));
  return words;
}

void find_results(Op opcode, const InstructionRow *row, bool &has_result, bool &has_type) {
  if (!row)
    return spv::HasResultAndType(opcode, &has_result, &has_type);
  has_result = row->has_result;
  has_type = row->has_result_type;
}

// Takes the id of a type or a result off the front of the operands.
bool take_id(Instruction &instruction, uint32_t bound, Id &id) {
  if (instruction.operands.empty())
    return false;
  id = instruction.operands.front();
  instruction.operands = instruction.operands.drop_front();
  return id != 0 && id < bound;
}

Result<Instruction> decode(llvm::ArrayRef<uint32_t> words, unsigned line, uint32_t bound) {
  Instruction instruction;
  instruction.opcode = static_cast<Op>(words[0] & spv::OpCodeMask);
  instruction.row = find_row(instruction.opcode);
  instruction.line = line;
  instruction.operands = words.drop_front();
  bool has_result = false, has_type = false;
  find_results(instruction.opcode, instruction.row, has_result, has_type);
  if ((has_type && !take_id(instruction, bound, instruction.result_type)) ||
      (has_result && !take_id(instruction, bound, instruction.result)))
    return error_at(instruction, "the id of its result or type is missing or not below the bound",
                    ErrorKind::invalid_binary);
  return instruction;
}

Result<void> split(Words &module) {
  llvm::ArrayRef<uint32_t> rest(module.words);
  rest = rest.drop_front(header_words);
  unsigned line = header_lines;
  while (!rest.empty()) {
    ++line;
    const uint32_t count = rest.front() >> spv::WordCountShift;
    if (count == 0 || count > rest.size())
      return invalid(fmt::format("program.spv:{}: the word count {} is 0 or reaches beyond the end",
                                 line, count));
    auto instruction = decode(rest.take_front(count), line, module.bound);
    LOCKSTEP_TRY(instruction);
    module.instructions.push_back(*instruction);
    rest = rest.drop_front(count);
  }
  return {};
}

Result<void> check_version(uint32_t version) {
  const uint32_t major = version >> 16, minor = version >> 8 & 0xff;
  const bool is_known = std::ranges::any_of(spirv_versions, [&](const NameVersion &known) {
    return known.major == major && known.minor == minor;
  });
  if (!is_known)
    return invalid(fmt::format("SPIR-V {}.{} is not supported; 1.0 to 1.6 are", major, minor));
  return {};
}

} // namespace

Result<Words> split_words(std::string_view binary) {
  Words module;
  auto words = host_words(binary);
  LOCKSTEP_TRY(words);
  module.words = std::move(*words);
  module.version = module.words[1];
  LOCKSTEP_TRY(check_version(module.version));
  module.bound = module.words[3];
  if (module.bound == 0 || module.bound > largest_bound)
    return invalid(fmt::format("the bound of ids is {}; it must be 1 to {} (SPIR-V 2.17)",
                               module.bound, largest_bound));
  LOCKSTEP_TRY(split(module));
  return module;
}

std::optional<llvm::StringRef> string_operand(const Instruction &instruction, size_t first) {
  if (first >= instruction.operands.size())
    return {};
  const auto words = instruction.operands.drop_front(first);
  // The first character is in the low bits, so this is the order of bytes on a little-endian host.
  const llvm::StringRef bytes(reinterpret_cast<const char *>(words.data()), words.size() * 4);
  const size_t end = bytes.find('\0');
  if (end == llvm::StringRef::npos)
    return {};
  return bytes.take_front(end);
}

size_t string_words(llvm::StringRef text) {
  return text.size() / 4 + 1;
}

std::string name_of(const Instruction &instruction) {
  if (instruction.row)
    return std::string(instruction.row->name);
  return fmt::format("opcode {}", static_cast<unsigned>(instruction.opcode));
}

Error error_at(const Instruction &instruction, const std::string &rule, ErrorKind kind) {
  return {kind,
          fmt::format("program.spv:{}: {}: {}", instruction.line, name_of(instruction), rule)};
}

Error error_at(const Instruction &instruction, size_t operand, const std::string &rule,
               ErrorKind kind) {
  return error_at(instruction, fmt::format("operand {} {}", operand, rule), kind);
}

} // namespace lockstep::compiler::spirv
