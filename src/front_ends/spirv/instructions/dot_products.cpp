// Integer dot products of four bytes, in a vector or packed in an integer.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/translators.h"

namespace lockstep::compiler::spirv {
namespace {

struct Product {
  Op plain, accumulating;
  bool is_first_signed, is_second_signed;
  bool is_signed() const { return is_first_signed; }
};

constexpr Product products[] = {
    {Op::OpSDot, Op::OpSDotAccSat, true, true},
    {Op::OpUDot, Op::OpUDotAccSat, false, false},
    {Op::OpSUDot, Op::OpSUDotAccSat, true, false},
};

const Product &find_product(Op opcode) {
  for (const Product &product : products)
    if (product.plain == opcode || product.accumulating == opcode)
      return product;
  llvm_unreachable("execution_instructions.def names another instruction");
}

// The factor as a vector of four bytes, or null.
llvm::Value *bytes(FunctionReader &reader, const Instruction &i, size_t operand, bool is_packed) {
  auto *vector = llvm::FixedVectorType::get(reader.builder().getInt8Ty(), 4);
  const Type &type = reader.type(i, operand);
  if (type.llvm == vector)
    return reader.value(i, operand);
  if (is_packed && type.is(TypeKind::int_type) && type.width == 32)
    return reader.builder().CreateBitCast(reader.value(i, operand), vector);
  return nullptr;
}

} // namespace

// Operands: the factors, the accumulator if there is one, the format if the factors are packed.
Result<llvm::Value *> translate_dot_product(FunctionReader &reader, const Instruction &i) {
  const Product &product = find_product(i.opcode);
  const bool accumulates = product.accumulating == i.opcode;
  const size_t format = accumulates ? 3 : 2;
  const bool is_packed =
      reader.has(i, format) &&
      reader.word(i, format) ==
          static_cast<uint32_t>(spv::PackedVectorFormat::PackedVectorFormat4x8Bit);
  llvm::Value *first = bytes(reader, i, 0, is_packed), *second = bytes(reader, i, 1, is_packed);
  if (!first || !second)
    return reader.fail(i, "its factors are not vectors of 4 int8, nor packed in an int32");
  Builder &builder = reader.builder();
  auto sum = call_checked(
      reader, i, "dot", builder.getInt32Ty(),
      {argument(first, product.is_first_signed), argument(second, product.is_second_signed)});
  LOCKSTEP_TRY(sum);
  // Four products of bytes fit in 32 bits.
  llvm::Value *result =
      builder.CreateIntCast(*sum, reader.result_type(i).llvm, product.is_signed());
  if (!accumulates)
    return result;
  return builder.CreateBinaryIntrinsic(product.is_signed() ? llvm::Intrinsic::sadd_sat
                                                           : llvm::Intrinsic::uadd_sat,
                                       result, reader.value(i, 2));
}

} // namespace lockstep::compiler::spirv
