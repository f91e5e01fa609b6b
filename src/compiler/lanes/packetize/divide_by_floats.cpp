#include "compiler/lanes/packetize/divide_by_floats.h"

namespace lockstep::compiler {

namespace {

// Returns the next number away from zero after the rounded 1 / divisor.
llvm::Value *large_reciprocal(llvm::IRBuilderBase &builder, llvm::Value *divisor) {
  llvm::Type *real = divisor->getType();
  llvm::Type *bits = builder.getIntNTy(real->getPrimitiveSizeInBits());
  llvm::Value *rounded = builder.CreateFDiv(llvm::ConstantFP::get(real, 1.0), divisor);
  llvm::Value *next =
      builder.CreateAdd(builder.CreateBitCast(rounded, bits), llvm::ConstantInt::get(bits, 1));
  return builder.CreateBitCast(next, real, "reciprocal");
}

} // namespace

llvm::Value *divide_by_floats(llvm::IRBuilderBase &builder, llvm::Instruction::BinaryOps operation,
                              llvm::Value *dividend, llvm::Value *divisor,
                              llvm::Value *divisor_of_all) {
  using llvm::Instruction;
  auto *given = llvm::cast<llvm::FixedVectorType>(dividend->getType());
  unsigned bits = given->getScalarSizeInBits();
  if (bits > 32)
    return nullptr;
  bool is_signed = operation == Instruction::SDiv || operation == Instruction::SRem;
  bool is_remainder = operation == Instruction::URem || operation == Instruction::SRem;
  llvm::Type *real = bits <= 16 ? builder.getFloatTy() : builder.getDoubleTy();
  // Conversions between floats and 32-bit integers are fast.
  llvm::Type *integer = builder.getInt32Ty();
  auto widened = [&](llvm::Value *value) {
    llvm::Type *type = value->getType()->getWithNewType(integer);
    return is_signed ? builder.CreateSExt(value, type) : builder.CreateZExt(value, type);
  };
  auto as_real = [&](llvm::Value *value) {
    llvm::Type *type = value->getType()->getWithNewType(real);
    return is_signed ? builder.CreateSIToFP(widened(value), type)
                     : builder.CreateUIToFP(widened(value), type);
  };
  llvm::Value *exact;
  if (divisor_of_all)
    exact = builder.CreateFMul(
        as_real(dividend),
        builder.CreateVectorSplat(given->getNumElements(),
                                  large_reciprocal(builder, as_real(divisor_of_all))));
  else
    exact = builder.CreateFDiv(as_real(dividend), as_real(divisor));
  llvm::Type *wide = given->getWithNewType(integer);
  llvm::Value *quotient = builder.CreateTrunc(
      is_signed ? builder.CreateFPToSI(exact, wide) : builder.CreateFPToUI(exact, wide), given);
  if (!is_remainder)
    return quotient;
  return builder.CreateSub(dividend, builder.CreateMul(quotient, divisor), "remainder");
}

} // namespace lockstep::compiler
