#include "front_ends/spirv/instructions/image_operands.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using Mask = spv::ImageOperandsMask;
constexpr uint32_t bit(Mask mask) {
  return static_cast<uint32_t>(mask);
}
constexpr uint32_t known = bit(Mask::Lod) | bit(Mask::Grad) | bit(Mask::SignExtend) |
                           bit(Mask::ZeroExtend) | bit(Mask::Nontemporal);

Result<llvm::Value *> value_at(FunctionReader &reader, const Instruction &i, size_t operand) {
  const TypedValue *value =
      reader.has(i, operand) ? reader.find_value(reader.word(i, operand)) : nullptr;
  if (!value)
    return reader.fail(i, operand, "is missing, or not a value that is defined here");
  const TypeKind kind = value->type->scalar().kind;
  if (kind != TypeKind::int_type && kind != TypeKind::float_type)
    return reader.fail(i, operand, fmt::format("is {}", description(*value->type)));
  return value->value;
}

} // namespace

unsigned dimensions_of(const ImageShape &shape) {
  switch (shape.dimension) {
  case spv::Dim::Dim2D:
    return 2;
  case spv::Dim::Dim3D:
    return 3;
  default:
    return 1;
  }
}

bool is_zero(llvm::Value *value) {
  auto *constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

Result<ImageOperands> image_operands(FunctionReader &reader, const Instruction &i, size_t mask) {
  ImageOperands result;
  const uint32_t bits = reader.has(i, mask) ? reader.word(i, mask) : 0;
  if (bits & ~known)
    return reader.fail(i, mask, "has image operands that kernels do not have");
  size_t operand = mask + 1;
  if (bits & bit(Mask::Lod)) {
    auto lod = value_at(reader, i, operand++);
    LOCKSTEP_TRY(lod);
    if ((*lod)->getType()->isVectorTy())
      return reader.fail(i, operand - 1, "is a vector");
    result.lod = *lod;
  }
  if (bits & bit(Mask::Grad))
    for (int direction = 0; direction < 2; ++direction) {
      auto gradient = value_at(reader, i, operand++);
      LOCKSTEP_TRY(gradient);
      result.gradient.push_back(*gradient);
    }
  result.extends_sign = bits & bit(Mask::SignExtend);
  result.extends_zero = bits & bit(Mask::ZeroExtend);
  return result;
}

} // namespace lockstep::compiler::spirv
