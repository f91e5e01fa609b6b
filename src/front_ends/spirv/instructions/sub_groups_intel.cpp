// The instructions of SPV_INTEL_subgroups: shuffles of two values, and reads and writes of blocks.
#include "front_ends/spirv/instructions/groups.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// The end of the names of block functions: bytes have _uc, and so on; words have none.
std::string_view width_suffix(uint32_t bits) {
  return bits == 8 ? "_uc" : bits == 16 ? "_us" : bits == 64 ? "_ul" : "";
}

std::string block_name(std::string_view what, const Type &data) {
  return fmt::format("intel_sub_group_block_{}{}{}", what, width_suffix(data.scalar().width),
                     data.is(TypeKind::vector) ? std::to_string(data.count) : "");
}

// Blocks consist of unsigned integers; floats are moved as such.
llvm::Type *as_integers(llvm::Type *type) {
  return type->getWithNewType(
      llvm::IntegerType::get(type->getContext(), type->getScalarSizeInBits()));
}

BuiltinArgument block_pointer(llvm::Value *pointer, llvm::Type *data, unsigned qualifiers) {
  return pointer_argument(
      pointer, argument(llvm::PoisonValue::get(data->getScalarType()), false).type, qualifiers);
}

// The operands of an image's block: the image, and the coordinates in bytes and rows.
std::vector<BuiltinArgument> image_block(FunctionReader &reader, const Instruction &i) {
  return {operand_argument(reader, i, 0), operand_argument(reader, i, 1)};
}

Result<llvm::Value *> shuffle(FunctionReader &reader, const Instruction &i, std::string_view name,
                              bool has_two_values) {
  Builder &builder = reader.builder();
  std::vector<llvm::Value *> values = {reader.value(i, 0)};
  if (has_two_values)
    values.push_back(reader.value(i, 1));
  llvm::Value *lane = to_32(builder, reader.value(i, values.size()));
  return by_components(builder, values, [&](llvm::ArrayRef<llvm::Value *> components) {
    std::vector<BuiltinArgument> arguments;
    for (llvm::Value *component : components)
      arguments.push_back(argument(component));
    arguments.push_back(argument(lane, false));
    return call_checked(reader, i, name, components[0]->getType(), arguments, true);
  });
}

} // namespace

Result<llvm::Value *> translate_shuffle_intel(FunctionReader &reader, const Instruction &i) {
  switch (i.opcode) {
  case Op::OpSubgroupShuffleINTEL:
    return shuffle(reader, i, "intel_sub_group_shuffle", false);
  case Op::OpSubgroupShuffleXorINTEL:
    return shuffle(reader, i, "intel_sub_group_shuffle_xor", false);
  case Op::OpSubgroupShuffleDownINTEL:
    return shuffle(reader, i, "intel_sub_group_shuffle_down", true);
  default:
    return shuffle(reader, i, "intel_sub_group_shuffle_up", true);
  }
}

Result<llvm::Value *> translate_block_read(FunctionReader &reader, const Instruction &i) {
  const Type &result = reader.result_type(i);
  llvm::Type *integers = as_integers(result.llvm);
  const std::vector<BuiltinArgument> arguments =
      i.opcode == Op::OpSubgroupImageBlockReadINTEL
          ? image_block(reader, i)
          : std::vector{block_pointer(reader.value(i, 0), integers, is_const)};
  auto block = call_checked(reader, i, block_name("read", result), integers, arguments, true);
  LOCKSTEP_TRY(block);
  return reader.builder().CreateBitCast(*block, result.llvm);
}

Result<llvm::Value *> translate_block_write(FunctionReader &reader, const Instruction &i) {
  const bool is_image = i.opcode == Op::OpSubgroupImageBlockWriteINTEL;
  const size_t operand = is_image ? 2 : 1;
  llvm::Type *integers = as_integers(reader.type(i, operand).llvm);
  std::vector<BuiltinArgument> arguments =
      is_image ? image_block(reader, i)
               : std::vector{block_pointer(reader.value(i, 0), integers, unqualified)};
  arguments.push_back(
      argument(reader.builder().CreateBitCast(reader.value(i, operand), integers), false));
  auto call = call_checked(reader, i, block_name("write", reader.type(i, operand)),
                           reader.builder().getVoidTy(), arguments, true);
  LOCKSTEP_TRY(call);
  return nullptr;
}

} // namespace lockstep::compiler::spirv
