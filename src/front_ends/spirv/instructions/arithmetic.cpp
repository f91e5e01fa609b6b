#include "front_ends/spirv/instructions/translators.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"

namespace lockstep::compiler::spirv {
namespace {

using llvm::Value;

// flat: one case for each operation
std::optional<llvm::Instruction::BinaryOps> operation(Op opcode) {
  switch (opcode) {
  case Op::OpIAdd:
    return llvm::Instruction::Add;
  case Op::OpISub:
    return llvm::Instruction::Sub;
  case Op::OpIMul:
    return llvm::Instruction::Mul;
  case Op::OpUDiv:
    return llvm::Instruction::UDiv;
  case Op::OpSDiv:
    return llvm::Instruction::SDiv;
  case Op::OpUMod:
    return llvm::Instruction::URem;
  case Op::OpSRem:
    return llvm::Instruction::SRem;
  case Op::OpFAdd:
    return llvm::Instruction::FAdd;
  case Op::OpFSub:
    return llvm::Instruction::FSub;
  case Op::OpFMul:
    return llvm::Instruction::FMul;
  case Op::OpFDiv:
    return llvm::Instruction::FDiv;
  case Op::OpShiftLeftLogical:
    return llvm::Instruction::Shl;
  case Op::OpShiftRightLogical:
    return llvm::Instruction::LShr;
  case Op::OpShiftRightArithmetic:
    return llvm::Instruction::AShr;
  case Op::OpBitwiseAnd:
  case Op::OpLogicalAnd:
    return llvm::Instruction::And;
  case Op::OpBitwiseOr:
  case Op::OpLogicalOr:
    return llvm::Instruction::Or;
  case Op::OpBitwiseXor:
    return llvm::Instruction::Xor;
  default:
    return {};
  }
}

// Adds what the decorations promise.
Value *with_wrap_flags(FunctionReader &reader, const Instruction &i, Value *value) {
  auto *made = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(value);
  if (!made || !llvm::isa<llvm::Instruction>(value))
    return value;
  auto *instruction = llvm::cast<llvm::Instruction>(value);
  if (reader.decoration(i, spv::Decoration::NoSignedWrap))
    instruction->setHasNoSignedWrap();
  if (reader.decoration(i, spv::Decoration::NoUnsignedWrap))
    instruction->setHasNoUnsignedWrap();
  return value;
}

// ---- remainders ----

// The sign of the result is that of the divisor.
Value *integer_modulo(FunctionReader &reader, Value *dividend, Value *divisor) {
  Builder &builder = reader.builder();
  Value *rest = builder.CreateSRem(dividend, divisor);
  Value *zero = llvm::Constant::getNullValue(rest->getType());
  Value *is_wrong =
      builder.CreateAnd(builder.CreateICmpNE(rest, zero),
                        builder.CreateICmpSLT(builder.CreateXor(rest, divisor), zero));
  return builder.CreateSelect(is_wrong, builder.CreateAdd(rest, divisor), rest);
}

Value *float_remainder(FunctionReader &reader, const Type &type, Value *dividend, Value *divisor) {
  auto *left = llvm::dyn_cast<llvm::Constant>(dividend);
  auto *right = llvm::dyn_cast<llvm::Constant>(divisor);
  if (left && right)
    if (llvm::Constant *folded = llvm::ConstantFoldBinaryOpOperands(
            llvm::Instruction::FRem, left, right, reader.target().getDataLayout()))
      return folded;
  const ParameterType parameter = *type_of(type.llvm, true);
  return reader.call_builtin("fmod", type.llvm, {{dividend, parameter}, {divisor, parameter}});
}

Value *float_modulo(FunctionReader &reader, const Type &type, Value *dividend, Value *divisor) {
  Builder &builder = reader.builder();
  Value *rest = float_remainder(reader, type, dividend, divisor);
  Value *zero = llvm::Constant::getNullValue(type.llvm);
  Value *signs_differ =
      builder.CreateXor(builder.CreateFCmpOLT(rest, zero), builder.CreateFCmpOLT(divisor, zero));
  Value *is_wrong = builder.CreateAnd(builder.CreateFCmpUNE(rest, zero), signs_differ);
  return builder.CreateSelect(is_wrong, builder.CreateFAdd(rest, divisor), rest);
}

// ---- structures of two results ----

// Checks that the result is a structure of two values of the operands' type.
Result<void> check_pair(FunctionReader &reader, const Instruction &i) {
  const Type &pair = reader.result_type(i);
  const llvm::Type *part = reader.type(i, 0).llvm;
  if (pair.members.size() != 2 || pair.members[0]->llvm != part || pair.members[1]->llvm != part)
    return reader.fail(i,
                       "its result type is not a structure of two members of the operands' type");
  return {};
}

Value *make_pair(FunctionReader &reader, const Instruction &i, Value *first, Value *second) {
  Value *pair = llvm::PoisonValue::get(reader.result_type(i).llvm);
  pair = reader.builder().CreateInsertValue(pair, first, 0);
  return reader.builder().CreateInsertValue(pair, second, 1);
}

Value *high_half(FunctionReader &reader, const Instruction &i, Value *left, Value *right) {
  const ParameterType parameter = *type_of(left->getType(), i.opcode == Op::OpSMulExtended);
  return reader.call_builtin("mul_hi", left->getType(), {{left, parameter}, {right, parameter}});
}

// The sum of products in order, for vectors that the builtin dot does not have.
Value *long_dot(Builder &builder, Value *left, Value *right, unsigned count) {
  Value *products = builder.CreateFMul(left, right);
  Value *sum = builder.CreateExtractElement(products, uint64_t{0});
  for (unsigned k = 1; k < count; ++k)
    sum = builder.CreateFAdd(sum, builder.CreateExtractElement(products, uint64_t{k}));
  return sum;
}

} // namespace

Result<Value *> translate_binary(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *left = reader.value(i, 0), *right = reader.value(i, 1);
  const Type &type = reader.result_type(i);
  switch (i.opcode) {
  case Op::OpSMod:
    return integer_modulo(reader, left, right);
  case Op::OpFRem:
    return float_remainder(reader, type, left, right);
  case Op::OpFMod:
    return float_modulo(reader, type, left, right);
  case Op::OpShiftLeftLogical:
  case Op::OpShiftRightLogical:
  case Op::OpShiftRightArithmetic:
    right = builder.CreateZExtOrTrunc(right, left->getType());
    break;
  default:
    break;
  }
  return with_wrap_flags(reader, i, builder.CreateBinOp(*operation(i.opcode), left, right));
}

Result<Value *> translate_unary(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *operand = reader.value(i, 0);
  llvm::Type *type = reader.result_type(i).llvm;
  switch (i.opcode) {
  case Op::OpSNegate:
    return with_wrap_flags(reader, i, builder.CreateNeg(operand));
  case Op::OpFNegate:
    return builder.CreateFNeg(operand);
  case Op::OpBitReverse:
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, operand);
  case Op::OpBitCount:
    return builder.CreateZExtOrTrunc(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, operand),
                                     type);
  case Op::OpQuantizeToF16: {
    llvm::Type *half = type->getWithNewType(llvm::Type::getHalfTy(reader.context()));
    return builder.CreateFPCast(builder.CreateFPCast(operand, half), type);
  }
  case Op::OpAny:
    return builder.CreateOrReduce(operand);
  case Op::OpAll:
    return builder.CreateAndReduce(operand);
  default: // OpNot, OpLogicalNot
    return builder.CreateNot(operand);
  }
}

Result<Value *> translate_vector_product(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *left = reader.value(i, 0), *right = reader.value(i, 1);
  const Type &vector = reader.type(i, 0);
  const auto count = static_cast<unsigned>(vector.count);
  const Type &scalar_type = i.opcode == Op::OpDot ? reader.result_type(i) : reader.type(i, 1);
  if (scalar_type.llvm != vector.element->llvm)
    return reader.fail(i, "the scalar does not have the type of the vector's components");
  if (i.opcode == Op::OpVectorTimesScalar)
    return builder.CreateFMul(left, builder.CreateVectorSplat(count, right));
  if (count > 4)
    return long_dot(builder, left, right, count);
  const ParameterType parameter = *type_of(vector.llvm, true);
  return reader.call_builtin("dot", scalar_type.llvm, {{left, parameter}, {right, parameter}});
}

Result<Value *> translate_extended_arithmetic(FunctionReader &reader, const Instruction &i) {
  LOCKSTEP_TRY(check_pair(reader, i));
  Builder &builder = reader.builder();
  Value *left = reader.value(i, 0), *right = reader.value(i, 1);
  if (i.opcode == Op::OpUMulExtended || i.opcode == Op::OpSMulExtended)
    return make_pair(reader, i, builder.CreateMul(left, right), high_half(reader, i, left, right));
  const bool adds = i.opcode == Op::OpIAddCarry;
  Value *result = adds ? builder.CreateAdd(left, right) : builder.CreateSub(left, right);
  Value *carry = builder.CreateICmpULT(adds ? result : left, adds ? left : right);
  return make_pair(reader, i, result, builder.CreateZExt(carry, left->getType()));
}

Result<Value *> translate_bit_field(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  llvm::Type *uint = llvm::Type::getInt32Ty(reader.context());
  llvm::Type *type = reader.result_type(i).llvm;
  const size_t values = i.opcode == Op::OpBitFieldInsert ? 2 : 1;
  const bool is_signed = i.opcode == Op::OpBitFieldSExtract;
  std::vector<BuiltinArgument> arguments;
  for (size_t k = 0; k < values; ++k)
    arguments.push_back({reader.value(i, k), *type_of(type, values == 2 || is_signed)});
  for (size_t k = values; k < values + 2; ++k)
    arguments.push_back({builder.CreateZExtOrTrunc(reader.value(i, k), uint), scalar("j")});
  const char *name = values == 2 ? "bitfield_insert"
                     : is_signed ? "bitfield_extract_signed"
                                 : "bitfield_extract_unsigned";
  return reader.call_builtin(name, type, arguments);
}

} // namespace lockstep::compiler::spirv
