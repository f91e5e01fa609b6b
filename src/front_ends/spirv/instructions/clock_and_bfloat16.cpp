// The clocks of SPV_KHR_shader_clock, and the conversions of SPV_INTEL_bfloat16_conversion.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr auto to_bfloat16_opcode = static_cast<Op>(6116); // newer than the headers

std::string_view clock_scope(std::optional<uint64_t> scope) {
  if (scope == static_cast<uint64_t>(spv::Scope::Device))
    return "device";
  if (scope == static_cast<uint64_t>(spv::Scope::Workgroup))
    return "work_group";
  return scope == static_cast<uint64_t>(spv::Scope::Subgroup) ? "sub_group" : "";
}

// Rounds to the nearest bfloat16, ties to even. A bfloat16 is the upper half of a float.
llvm::Value *to_bfloat16(Builder &builder, llvm::Value *number) {
  llvm::Type *type = number->getType();
  llvm::Type *words = type->getWithNewType(builder.getInt32Ty());
  auto constant = [&](uint32_t value) { return llvm::ConstantInt::get(words, value); };
  llvm::Value *bits = builder.CreateBitCast(number, words);
  llvm::Value *is_odd = builder.CreateAnd(builder.CreateLShr(bits, 16), constant(1));
  llvm::Value *rounded = builder.CreateAdd(bits, builder.CreateAdd(is_odd, constant(0x7fff)));
  // The payload of a NaN could be rounded to that of an infinity.
  llvm::Value *quiet = builder.CreateOr(bits, constant(0x400000));
  llvm::Value *chosen = builder.CreateSelect(builder.CreateFCmpUNO(number, number), quiet, rounded);
  return builder.CreateTrunc(builder.CreateLShr(chosen, 16),
                             type->getWithNewType(builder.getInt16Ty()));
}

} // namespace

Result<llvm::Value *> translate_clock(FunctionReader &reader, const Instruction &i) {
  const std::string_view scope = clock_scope(reader.constant(i, 0));
  if (scope.empty())
    return reader.fail(i, 0, "is not the constant Device, Workgroup or Subgroup");
  Builder &builder = reader.builder();
  llvm::Type *result = reader.result_type(i).llvm;
  const bool is_vector = result == llvm::FixedVectorType::get(builder.getInt32Ty(), 2);
  if (!is_vector && result != builder.getInt64Ty())
    return reader.fail(i, "its result is not int64 or a vector of 2 int32");
  return call_checked(reader, i, fmt::format("clock_read_{}{}", is_vector ? "hilo_" : "", scope),
                      result, {});
}

Result<llvm::Value *> translate_bfloat16(FunctionReader &reader, const Instruction &i) {
  const bool is_to_bfloat16 = i.opcode == to_bfloat16_opcode;
  const Type &result = reader.result_type(i), &from = reader.type(i, 0);
  const Type &number = is_to_bfloat16 ? from : result, &bits = is_to_bfloat16 ? result : from;
  if (number.scalar().width != 32 || bits.scalar().width != 16)
    return reader.fail(i, "it converts between 32-bit floats and 16-bit integers");
  Builder &builder = reader.builder();
  if (is_to_bfloat16)
    return to_bfloat16(builder, reader.value(i, 0));
  llvm::Value *words = to_32(builder, reader.value(i, 0));
  return builder.CreateBitCast(builder.CreateShl(words, 16), result.llvm);
}

} // namespace lockstep::compiler::spirv
