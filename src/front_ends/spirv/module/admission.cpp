#include "front_ends/spirv/module/admission.h"

#include "front_ends/common/device_features.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

Error refused(std::string sentence) {
  return {ErrorKind::build_failure, std::move(sentence)};
}

Result<void> admit_capability(const Instruction &instruction) {
  const uint32_t number = instruction.operands[0];
  if (std::ranges::find(spirv_capabilities, number, &SpirvCapability::number) ==
      std::end(spirv_capabilities))
    return error_at(instruction, fmt::format("the capability {} is not supported "
                                             "(CL_DEVICE_SPIRV_CAPABILITIES_KHR)",
                                             number));
  return {};
}

Result<void> admit_extension(const Instruction &instruction) {
  const llvm::StringRef name = *string_operand(instruction, 0);
  if (std::ranges::none_of(spirv_extensions, [&](const char *known) { return name == known; }))
    return error_at(instruction, fmt::format("the extension {} is not supported "
                                             "(CL_DEVICE_SPIRV_EXTENSIONS_KHR)",
                                             name.str()));
  return {};
}

Result<void> admit_import(const Instruction &instruction) {
  const llvm::StringRef name = *string_operand(instruction, 0);
  if (is_non_semantic(name))
    return {};
  if (std::ranges::none_of(spirv_instruction_sets,
                           [&](const char *known) { return name == known; }))
    return error_at(instruction, fmt::format("the instruction set {} is not supported "
                                             "(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR)",
                                             name.str()));
  return {};
}

Result<void> admit_memory_model(const Module &module) {
  const Instruction *model = module.memory_model;
  if (!model)
    return refused("program.spv: the module has no OpMemoryModel");
  if (static_cast<spv::AddressingModel>(model->operands[0]) != spv::AddressingModel::Physical64)
    return error_at(*model, 1, "is not Physical64; addresses of this device have 64 bits");
  if (static_cast<spv::MemoryModel>(model->operands[1]) != spv::MemoryModel::OpenCL)
    return error_at(*model, 2, "is not the memory model OpenCL");
  return {};
}

} // namespace

bool is_non_semantic(llvm::StringRef set) {
  return set.starts_with("NonSemantic.");
}

Result<void> admit(const Module &module) {
  // Extensions first: their names say more than the numbers of their capabilities.
  for (const Instruction *instruction : module.extensions)
    LOCKSTEP_TRY(admit_extension(*instruction));
  for (const Instruction *instruction : module.declared_capabilities)
    LOCKSTEP_TRY(admit_capability(*instruction));
  for (const Instruction *instruction : module.imports)
    LOCKSTEP_TRY(admit_import(*instruction));
  return admit_memory_model(module);
}

} // namespace lockstep::compiler::spirv
