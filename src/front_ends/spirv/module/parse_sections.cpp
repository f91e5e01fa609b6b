#include "front_ends/spirv/module/parse_sections.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace lockstep::compiler::spirv {
namespace {

// A module with more copies is refused, since their number grows with the square of its size.
constexpr size_t most_group_copies = 1'000'000;

Error wrong(const Instruction &instruction, const std::string &rule) {
  return error_at(instruction, rule, ErrorKind::invalid_binary);
}

bool is_global(Op opcode) {
  if ((opcode >= Op::OpTypeVoid && opcode <= Op::OpTypeForwardPointer) ||
      (opcode >= Op::OpConstantTrue && opcode <= Op::OpSpecConstantOp))
    return true;
  // Others that define an id and are in no function are types and constants of extensions.
  return opcode == Op::OpVariable || opcode == Op::OpUndef;
}

void add_decoration(Module &module, Id id, const Instruction &instruction, size_t first,
                    std::optional<uint32_t> member) {
  module.decorations[id].push_back({static_cast<spv::Decoration>(instruction.operands[first]),
                                    instruction.operands.drop_front(first + 1), member,
                                    &instruction});
}

Result<void> add_entry_point(const Instruction &instruction, Module &module) {
  if (static_cast<spv::ExecutionModel>(instruction.operands[0]) != spv::ExecutionModel::Kernel)
    return error_at(instruction, 1, "is not the execution model Kernel");
  module.entry_points.push_back(
      {instruction.operands[1], string_operand(instruction, 2)->str(), &instruction});
  return {};
}

// Copies decorations of a group to a target, or to a member of it.
Result<void> copy_group(const Instruction &instruction, Id target, std::optional<uint32_t> member,
                        Module &module, size_t &copies) {
  const std::vector<Decoration> group = module.decorations.lookup(instruction.operands[0]);
  copies += group.size();
  if (copies > most_group_copies)
    return wrong(instruction, "the module's groups have more than a million decorations");
  for (Decoration decoration : group) {
    if (member)
      decoration.member = member;
    module.decorations[target].push_back(decoration);
  }
  return {};
}

Result<void> apply_group(const Instruction &instruction, Module &module, size_t &copies) {
  const auto targets = instruction.operands.drop_front();
  if (instruction.opcode == Op::OpGroupDecorate) {
    for (Id target : targets)
      LOCKSTEP_TRY(copy_group(instruction, target, {}, module, copies));
    return {};
  }
  for (size_t i = 0; i + 1 < targets.size(); i += 2) {
    if (targets[i] == 0 || targets[i] >= module.words.bound)
      return wrong(instruction, fmt::format("operand {} is not an id", i + 2));
    LOCKSTEP_TRY(copy_group(instruction, targets[i], targets[i + 1], module, copies));
  }
  return {};
}

// Decorations of the id itself come before those of members, so that a search is fast.
std::pair<bool, spv::Decoration> sort_key(const Decoration &decoration) {
  return {decoration.member.has_value(), decoration.kind};
}

bool comes_before(const Decoration &left, const Decoration &right) {
  return std::tuple(sort_key(left), left.instruction) <
         std::tuple(sort_key(right), right.instruction);
}

// ---- specialization constants ----

bool is_spec_constant(Op opcode) {
  return opcode == Op::OpSpecConstantTrue || opcode == Op::OpSpecConstantFalse ||
         opcode == Op::OpSpecConstant;
}

void list_spec_constants(Module &module) {
  IdMap<uint32_t> sizes; // of numeric types, bytes
  std::set<uint32_t> listed;
  for (const Instruction *instruction : module.globals) {
    if (instruction->opcode == Op::OpTypeInt || instruction->opcode == Op::OpTypeFloat)
      sizes[instruction->result] = instruction->operands[0] / 8;
    if (!is_spec_constant(instruction->opcode))
      continue;
    const Decoration *id = module.find_decoration(instruction->result, spv::Decoration::SpecId);
    if (!id || id->operands.empty() || !listed.insert(id->operands[0]).second)
      continue;
    const bool is_bool = instruction->opcode != Op::OpSpecConstant;
    module.spec_constants.push_back(
        {id->operands[0], is_bool ? 1 : sizes.lookup(instruction->result_type), instruction});
  }
}

} // namespace

// flat: the section of each instruction outside of functions
Section section_of(const Instruction &instruction) {
  switch (instruction.opcode) {
  case Op::OpCapability:
    return Section::capabilities;
  case Op::OpExtension:
    return Section::extensions;
  case Op::OpExtInstImport:
    return Section::imports;
  case Op::OpMemoryModel:
    return Section::memory_model;
  case Op::OpEntryPoint:
    return Section::entry_points;
  case Op::OpExecutionMode:
  case Op::OpExecutionModeId:
    return Section::execution_modes;
  case Op::OpString:
  case Op::OpSource:
  case Op::OpSourceContinued:
  case Op::OpSourceExtension:
  case Op::OpName:
  case Op::OpMemberName:
  case Op::OpModuleProcessed:
    return Section::debug;
  case Op::OpDecorate:
  case Op::OpMemberDecorate:
  case Op::OpDecorationGroup:
  case Op::OpGroupDecorate:
  case Op::OpGroupMemberDecorate:
  case Op::OpDecorateId:
  case Op::OpDecorateString:
  case Op::OpMemberDecorateString:
    return Section::annotations;
  case Op::OpFunction:
    return Section::functions;
  default:
    break;
  }
  if (is_global(instruction.opcode) || instruction.opcode == Op::OpLine ||
      instruction.opcode == Op::OpNoLine || instruction.opcode == Op::OpExtInst)
    return Section::globals;
  return instruction.row ? Section::inside_functions : Section::globals;
}

// flat: what each instruction outside of functions adds to the module
Result<void> read_module_instruction(const Instruction &instruction, Module &module) {
  const auto operands = instruction.operands;
  switch (instruction.opcode) {
  case Op::OpCapability:
    module.declared_capabilities.push_back(&instruction);
    break;
  case Op::OpExtension:
    module.extensions.push_back(&instruction);
    break;
  case Op::OpExtInstImport:
    module.extended_sets[instruction.result] = *string_operand(instruction, 0);
    module.imports.push_back(&instruction);
    break;
  case Op::OpMemoryModel:
    module.memory_model = &instruction;
    break;
  case Op::OpEntryPoint:
    return add_entry_point(instruction, module);
  case Op::OpExecutionMode:
  case Op::OpExecutionModeId:
    module.execution_modes[operands[0]].push_back(&instruction);
    break;
  case Op::OpString:
    module.strings[instruction.result] = *string_operand(instruction, 0);
    break;
  case Op::OpName:
    module.names[operands[0]] = *string_operand(instruction, 1);
    break;
  case Op::OpDecorate:
  case Op::OpDecorateId:
  case Op::OpDecorateString:
    add_decoration(module, operands[0], instruction, 1, {});
    break;
  case Op::OpMemberDecorate:
  case Op::OpMemberDecorateString:
    add_decoration(module, operands[0], instruction, 2, operands[1]);
    break;
  case Op::OpGroupDecorate:
  case Op::OpGroupMemberDecorate:
    module.group_uses.push_back(&instruction);
    break;
  case Op::OpExtInst:
    module.extended_globals.push_back(&instruction);
    break;
  default:
    if (section_of(instruction) == Section::globals)
      module.globals.push_back(&instruction);
    break;
  }
  return {};
}

Result<void> resolve_annotations(Module &module) {
  size_t copies = 0;
  for (const Instruction *instruction : module.group_uses)
    LOCKSTEP_TRY(apply_group(*instruction, module, copies));
  for (auto &[id, decorations] : module.decorations)
    std::ranges::sort(decorations, comes_before);
  list_spec_constants(module);
  return {};
}

llvm::ArrayRef<Decoration> Module::decorations_of(Id id) const {
  auto found = decorations.find(id);
  if (found == decorations.end())
    return {};
  return found->second;
}

const Decoration *Module::find_decoration(Id id, spv::Decoration kind) const {
  const auto decorations = decorations_of(id);
  const auto *found = std::ranges::lower_bound(decorations, std::pair(false, kind), {}, sort_key);
  const bool is_found = found != decorations.end() && found->kind == kind && !found->member;
  return is_found ? found : nullptr;
}

} // namespace lockstep::compiler::spirv
