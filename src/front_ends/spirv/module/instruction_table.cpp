#include "front_ends/spirv/module/instruction_table.h"

#include "front_ends/spirv/instructions/translators.h"
#include "platform/linux/leaked.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

namespace lockstep::compiler::spirv {
namespace {

struct RowText {
  Op opcode;
  std::string_view name;
  std::string_view pattern;
  spv::Capability capability;
  Translator translate;
};

using spv::Capability;

// Instructions that are newer than the headers have their numbers in the row.
#define SPIRV_MODULE_INSTRUCTION(name, pattern, capability)                                        \
  {Op::name, #name, pattern, Capability::capability, nullptr},
#define SPIRV_INSTRUCTION(name, pattern, capability, translator)                                   \
  {Op::name, #name, pattern, Capability::capability, translate_##translator},
#define SPIRV_NEWER_INSTRUCTION(number, name, pattern, capability_number, translator)              \
  {static_cast<Op>(number), #name, pattern, static_cast<Capability>(capability_number),            \
   translate_##translator},
constexpr RowText row_texts[] = {
#include "front_ends/spirv/module/execution_instructions.def"
#include "front_ends/spirv/module/instructions.def"
};
#undef SPIRV_MODULE_INSTRUCTION
#undef SPIRV_INSTRUCTION
#undef SPIRV_NEWER_INSTRUCTION

constexpr std::string_view class_words[] = {
#define SPIRV_CLASS(name, word) word,
#include "front_ends/spirv/module/operand_classes.def"
};

OperandClass class_of(llvm::StringRef word) {
  for (size_t i = 0; i < std::size(class_words); ++i)
    if (std::string_view(word) == class_words[i])
      return static_cast<OperandClass>(i);
  llvm_unreachable("the pattern of an instruction has an unknown word");
}

// The number behind '=' or '#': r is the result.
std::optional<uint8_t> reference(llvm::StringRef word, char sign) {
  const size_t at = word.find(sign);
  if (at == llvm::StringRef::npos)
    return {};
  const char digit = word[at + 1];
  return digit == 'r' ? 0 : static_cast<uint8_t>(digit - '0');
}

OperandPattern parse_word(llvm::StringRef word) {
  OperandPattern pattern;
  pattern.is_repeated = word.consume_back("*");
  pattern.is_optional = word.consume_back("?") || pattern.is_repeated;
  pattern.same_type = reference(word, '=');
  pattern.same_count = reference(word, '#');
  pattern.operand_class = class_of(word.take_until([](char c) { return c == '=' || c == '#'; }));
  return pattern;
}

InstructionRow parse_row(const RowText &text) {
  InstructionRow row = parse_pattern(text.pattern);
  row.opcode = text.opcode;
  row.name = text.name;
  row.capability = text.capability;
  row.translate = text.translate;
  return row;
}

IdMap<InstructionRow> make_table() {
  IdMap<InstructionRow> table;
  for (const RowText &text : row_texts)
    table[static_cast<uint32_t>(text.opcode)] = parse_row(text);
  return table;
}

} // namespace

InstructionRow parse_pattern(std::string_view pattern) {
  InstructionRow row;
  auto [result, operands] = llvm::StringRef(pattern).split(':');
  if (!result.empty()) {
    row.has_result = true;
    row.result = parse_word(result);
    row.has_result_type = row.result.operand_class != OperandClass::id;
  }
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(operands, words);
  for (llvm::StringRef word : words)
    row.operands.push_back(parse_word(word));
  return row;
}

const InstructionRow *find_row(Op opcode) {
  const IdMap<InstructionRow> &table = leaked([] { return make_table(); });
  auto found = table.find(static_cast<uint32_t>(opcode));
  return found == table.end() ? nullptr : &found->second;
}

std::string_view word_of(OperandClass operand_class) {
  return class_words[static_cast<size_t>(operand_class)];
}

} // namespace lockstep::compiler::spirv
