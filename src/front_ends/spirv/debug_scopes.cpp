#include "front_ends/spirv/debug_scopes.h"

namespace lockstep::compiler::spirv {
namespace {

constexpr unsigned most_nested = 200; // scopes, and inlined calls: deeper ones are ignored

bool has_literal_numbers(llvm::StringRef set) {
  return set == "OpenCL.DebugInfo.100";
}

bool is_debug_set(llvm::StringRef set) {
  return has_literal_numbers(set) || set == "NonSemantic.Shader.DebugInfo.100" ||
         set == "NonSemantic.Shader.DebugInfo.200";
}

Id operand(const DebugInstruction &instruction, size_t index) {
  return index < instruction.operands.size() ? instruction.operands[index] : 0;
}

} // namespace

DebugScopes::DebugScopes(const Module &source, llvm::DIBuilder &builder,
                         std::function<llvm::DIFile *(Id)> make_file)
    : source_(source), builder_(builder), make_file_(std::move(make_file)) {
  for (const Instruction *instruction : source.globals)
    if (instruction->opcode == Op::OpConstant)
      constants_[instruction->result] = instruction->operands[0];
  for (const Instruction *instruction : source.extended_globals)
    if (auto decoded = decode(*instruction)) {
      instructions_[decoded->result] = *decoded;
      if (decoded->number == debug_function && decoded->has_literals)
        functions_.try_emplace(operand(*decoded, 9), decoded->result);
    }
}

std::optional<DebugInstruction> DebugScopes::decode(const Instruction &instruction) const {
  if (instruction.opcode != Op::OpExtInst)
    return {};
  const llvm::StringRef set = source_.extended_sets.lookup(instruction.operands[0]);
  if (!is_debug_set(set))
    return {};
  return DebugInstruction{instruction.operands[1], instruction.operands.drop_front(2),
                          has_literal_numbers(set), instruction.result};
}

uint32_t DebugScopes::number(const DebugInstruction &instruction, size_t index) const {
  const uint32_t word = operand(instruction, index);
  return instruction.has_literals ? word : constants_.lookup(word);
}

const DebugInstruction *DebugScopes::find(Id id, uint32_t number) const {
  auto found = instructions_.find(id);
  return found != instructions_.end() && found->second.number == number ? &found->second : nullptr;
}

llvm::DIFile *DebugScopes::file(Id id) {
  const DebugInstruction *source = find(id, debug_source);
  return make_file_(source ? operand(*source, 0) : 0);
}

llvm::DISubprogram *DebugScopes::make_subprogram(const DebugInstruction &function) {
  llvm::DIFile *where = file(operand(function, 2));
  const llvm::StringRef name = source_.strings.lookup(operand(function, 0));
  const llvm::StringRef linkage_name = source_.strings.lookup(operand(function, 6));
  return builder_.createFunction(where, name, linkage_name, where, number(function, 3),
                                 builder_.createSubroutineType(builder_.getOrCreateTypeArray({})),
                                 number(function, 8), llvm::DINode::FlagPrototyped,
                                 llvm::DISubprogram::SPFlagDefinition);
}

llvm::DILocalScope *DebugScopes::make_scope(const DebugInstruction &instruction, unsigned depth) {
  if (instruction.number == debug_function)
    return make_subprogram(instruction);
  llvm::DILocalScope *parent = scope(operand(instruction, 3), depth + 1);
  if (!parent)
    return nullptr;
  return builder_.createLexicalBlock(parent, file(operand(instruction, 0)), number(instruction, 1),
                                     number(instruction, 2) & 0xffff);
}

llvm::DILocalScope *DebugScopes::scope(Id id, unsigned depth) {
  if (auto found = scopes_.find(id); found != scopes_.end())
    return found->second; // null while it is made: a scope in itself
  const DebugInstruction *instruction = find(id, debug_function);
  if (!instruction)
    instruction = find(id, debug_lexical_block);
  if (!instruction || depth > most_nested)
    return nullptr;
  scopes_[id] = nullptr;
  llvm::DILocalScope *made = make_scope(*instruction, depth);
  scopes_[id] = made;
  return made;
}

llvm::DILocation *DebugScopes::inlined_at(Id id, unsigned depth) {
  if (auto found = calls_.find(id); found != calls_.end())
    return found->second;
  const DebugInstruction *call = find(id, debug_inlined_at);
  if (!call || depth > most_nested)
    return nullptr;
  calls_[id] = nullptr;
  llvm::DILocalScope *where = scope(operand(*call, 1));
  if (!where)
    return nullptr;
  llvm::DILocation *outer = inlined_at(operand(*call, 2), depth + 1);
  llvm::DILocation *made =
      llvm::DILocation::getDistinct(where->getContext(), number(*call, 0), 0, where, outer);
  calls_[id] = made;
  return made;
}

llvm::DISubprogram *DebugScopes::subprogram_of(const FunctionBody &body) {
  const Id function = body.head->result;
  Id id = functions_.lookup(function);
  for (const Instruction &instruction : body.instructions) {
    auto decoded = decode(instruction);
    if (decoded && decoded->number == debug_function_definition)
      id = operand(*decoded, 0);
  }
  if (!find(id, debug_function))
    return nullptr;
  // A subprogram belongs to one function.
  if (!owners_.try_emplace(id, function).second)
    return nullptr;
  return llvm::cast_or_null<llvm::DISubprogram>(scope(id));
}

} // namespace lockstep::compiler::spirv
