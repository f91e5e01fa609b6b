#include "front_ends/spirv/constant_reader.h"

#include "front_ends/spirv/check_operands.h"
#include "front_ends/spirv/function_reader.h"
#include "front_ends/spirv/instructions/composites.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

llvm::Constant *number(const Type &type, uint64_t bits) {
  const llvm::APInt integer(type.width, bits, false, true);
  if (type.is(TypeKind::int_type))
    return llvm::ConstantInt::get(type.llvm, integer);
  return llvm::ConstantFP::get(type.llvm->getContext(),
                               llvm::APFloat(type.llvm->getFltSemantics(), integer));
}

// The operations that OpSpecConstantOp may name in kernels (SPIR-V 3.42.7).
// flat: one case for each operation
bool is_constant_operation(Op opcode) {
  switch (opcode) {
  case Op::OpSConvert:
  case Op::OpUConvert:
  case Op::OpFConvert:
  case Op::OpConvertFToS:
  case Op::OpConvertFToU:
  case Op::OpConvertSToF:
  case Op::OpConvertUToF:
  case Op::OpConvertPtrToU:
  case Op::OpConvertUToPtr:
  case Op::OpGenericCastToPtr:
  case Op::OpPtrCastToGeneric:
  case Op::OpBitcast:
  case Op::OpQuantizeToF16:
  case Op::OpSNegate:
  case Op::OpNot:
  case Op::OpIAdd:
  case Op::OpISub:
  case Op::OpIMul:
  case Op::OpUDiv:
  case Op::OpSDiv:
  case Op::OpUMod:
  case Op::OpSRem:
  case Op::OpSMod:
  case Op::OpFNegate:
  case Op::OpFAdd:
  case Op::OpFSub:
  case Op::OpFMul:
  case Op::OpFDiv:
  case Op::OpFRem:
  case Op::OpFMod:
  case Op::OpShiftRightLogical:
  case Op::OpShiftRightArithmetic:
  case Op::OpShiftLeftLogical:
  case Op::OpBitwiseOr:
  case Op::OpBitwiseXor:
  case Op::OpBitwiseAnd:
  case Op::OpVectorShuffle:
  case Op::OpCompositeExtract:
  case Op::OpCompositeInsert:
  case Op::OpLogicalOr:
  case Op::OpLogicalAnd:
  case Op::OpLogicalNot:
  case Op::OpLogicalEqual:
  case Op::OpLogicalNotEqual:
  case Op::OpSelect:
  case Op::OpIEqual:
  case Op::OpINotEqual:
  case Op::OpULessThan:
  case Op::OpSLessThan:
  case Op::OpUGreaterThan:
  case Op::OpSGreaterThan:
  case Op::OpULessThanEqual:
  case Op::OpSLessThanEqual:
  case Op::OpUGreaterThanEqual:
  case Op::OpSGreaterThanEqual:
  case Op::OpAccessChain:
  case Op::OpInBoundsAccessChain:
  case Op::OpPtrAccessChain:
  case Op::OpInBoundsPtrAccessChain:
    return true;
  default:
    return false;
  }
}

} // namespace

Result<void> ConstantReader::read(const Instruction &instruction) {
  auto type = check_result_type(reader_, instruction);
  LOCKSTEP_TRY(type);
  auto value = make(instruction, **type);
  LOCKSTEP_TRY(value);
  reader_.globals_[instruction.result] = {*value, *type};
  return {};
}

// flat: one case for each constant
Result<llvm::Value *> ConstantReader::make(const Instruction &instruction, const Type &type) {
  switch (instruction.opcode) {
  case Op::OpUndef:
    return llvm::UndefValue::get(type.llvm);
  case Op::OpConstantTrue:
  case Op::OpConstantFalse:
  case Op::OpSpecConstantTrue:
  case Op::OpSpecConstantFalse:
    return make_bool(instruction);
  case Op::OpConstant:
  case Op::OpSpecConstant:
    return make_number(instruction, type);
  case Op::OpConstantComposite:
  case Op::OpSpecConstantComposite:
    return make_composite(instruction, type);
  case Op::OpConstantNull:
    return make_null(instruction, type);
  case Op::OpConstantSampler:
    return make_sampler(instruction);
  case Op::OpSpecConstantOp:
    return make_operation(instruction);
  default:
    return error_at(instruction, "kernels have no such constant");
  }
}

std::optional<uint64_t> ConstantReader::given_value(const Instruction &instruction) const {
  const Decoration *id =
      reader_.source().find_decoration(instruction.result, spv::Decoration::SpecId);
  if (!id || id->operands.empty())
    return {};
  auto found = std::ranges::find(reader_.constants_, id->operands[0], &SpecConstant::id);
  if (found == reader_.constants_.end())
    return {};
  uint64_t bits = 0;
  std::memcpy(&bits, found->bytes.data(), std::min(found->bytes.size(), sizeof bits));
  return bits;
}

Result<llvm::Value *> ConstantReader::make_bool(const Instruction &instruction) {
  const bool is_spec =
      instruction.opcode == Op::OpSpecConstantTrue || instruction.opcode == Op::OpSpecConstantFalse;
  bool value =
      instruction.opcode == Op::OpConstantTrue || instruction.opcode == Op::OpSpecConstantTrue;
  if (is_spec)
    value = given_value(instruction).value_or(value) != 0;
  return llvm::ConstantInt::getBool(reader_.context(), value);
}

Result<llvm::Value *> ConstantReader::make_number(const Instruction &instruction,
                                                  const Type &type) {
  const auto words = instruction.operands;
  if (words.size() != (type.width > 32 ? 2 : 1))
    return error_at(instruction, fmt::format("it has {} words for a value of {} bits", words.size(),
                                             type.width));
  uint64_t bits = words[0];
  if (words.size() > 1)
    bits |= static_cast<uint64_t>(words[1]) << 32;
  if (instruction.opcode == Op::OpSpecConstant)
    bits = given_value(instruction).value_or(bits);
  return number(type, bits);
}

Result<llvm::Value *> ConstantReader::make_composite(const Instruction &instruction,
                                                     const Type &type) {
  std::vector<llvm::Constant *> parts;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    auto *constant = reader_.find_constant(instruction.operands[i]);
    const Type *wanted = part_type(type, i);
    if (!constant || !wanted || wanted->llvm != constant->getType())
      return error_at(instruction, i + 1, "is not a constant of the type of that constituent");
    parts.push_back(constant);
  }
  if (part_type(type, parts.size()))
    return error_at(instruction,
                    fmt::format("it has {} constituents, fewer than its type", parts.size()));
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type.llvm))
    return llvm::ConstantArray::get(array, parts);
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type.llvm))
    return llvm::ConstantStruct::get(structure, parts);
  return llvm::ConstantVector::get(parts);
}

Result<llvm::Value *> ConstantReader::make_null(const Instruction &instruction, const Type &type) {
  if (!type.has_null)
    return error_at(instruction, fmt::format("{} has no null value", description(type)));
  return llvm::Constant::getNullValue(type.llvm);
}

// The number that OpenCL C gives a sampler. FunctionReader makes a sampler of it.
Result<llvm::Value *> ConstantReader::make_sampler(const Instruction &instruction) {
  const uint32_t mode = instruction.operands[0], is_normalized = instruction.operands[1],
                 filter = instruction.operands[2];
  if (mode > 4 || is_normalized > 1 || filter > 1)
    return error_at(instruction, "an operand is larger than its enumeration allows");
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(reader_.context()),
                                mode << 1 | is_normalized | (filter + 1) << 4);
}

Result<llvm::Value *> ConstantReader::make_operation(const Instruction &instruction) {
  Instruction operation = instruction;
  operation.opcode = static_cast<Op>(instruction.operands[0]);
  operation.row = find_row(operation.opcode);
  operation.operands = instruction.operands.drop_front();
  if (!is_constant_operation(operation.opcode) || !operation.row)
    return error_at(
        instruction, 1,
        fmt::format("is {}, which cannot be an operation on constants", name_of(operation)));
  // The translators build into this function. Constant operations fold; nothing else may remain.
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(reader_.context()), false);
  auto *scratch = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "constants",
                                         reader_.target());
  auto *block = llvm::BasicBlock::Create(reader_.context(), "", scratch);
  auto result = FunctionReader(reader_, *scratch).read_alone(operation, *block);
  const bool is_constant = result && llvm::isa<llvm::Constant>(result->value) && block->empty();
  llvm::Value *value = is_constant ? result->value : nullptr;
  block->dropAllReferences();
  scratch->eraseFromParent();
  if (!result)
    return result.take_error();
  if (!value)
    return error_at(instruction, "the result is not a constant");
  return value;
}

} // namespace lockstep::compiler::spirv
