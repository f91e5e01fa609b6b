// Reads, writes and samples of images.
//
// OpenCL C has functions for signed and for unsigned texels, SPIR-V has integers without a sign. For
// reads that does not matter. Writes saturate, so they must know the sign: where the program does
// not give it, __spirv_write_image takes it from the image's format.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/image_operands.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// The first `count` components of a value, with zeros behind them up to `width`.
llvm::Value *resized(Builder &builder, llvm::Value *value, unsigned count, unsigned width) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  const unsigned has = vector ? vector->getNumElements() : 1;
  if (has == width && (has == count || count > has))
    return value;
  if (width == 1)
    return builder.CreateExtractElement(value, uint64_t{0});
  llvm::Value *result = llvm::Constant::getNullValue(
      llvm::FixedVectorType::get(value->getType()->getScalarType(), width));
  for (unsigned component = 0; component < std::min({has, count, width}); ++component)
    result = builder.CreateInsertElement(
        result, vector ? builder.CreateExtractElement(value, component) : value, component);
  return result;
}

// Coordinates as OpenCL C's functions take them: 1, 2 or 4 numbers.
Result<llvm::Value *> coordinates(FunctionReader &reader, const Instruction &i, size_t operand,
                                  const ImageShape &shape) {
  const unsigned used = dimensions_of(shape) + (shape.is_array ? 1 : 0);
  const Type &type = reader.type(i, operand);
  if (type.components() < used || type.scalar().width != 32)
    return reader.fail(
        i, operand,
        fmt::format("is {}; the image needs {} coordinates of 32 bits", description(type), used));
  return resized(reader.builder(), reader.value(i, operand), used, used == 3 ? 4 : used);
}

// The end of a function's name, for texels of this type.
Result<std::string_view> suffix(FunctionReader &reader, const Instruction &i, const Type &texel,
                                const ImageOperands &operands) {
  const Type &component = texel.scalar();
  if (component.is(TypeKind::float_type) && component.width <= 32)
    return std::string_view(component.width == 16 ? "h" : "f");
  if (component.is(TypeKind::int_type) && component.width == 32)
    return std::string_view(operands.extends_zero ? "ui" : "i");
  return reader.fail(i, fmt::format("texels cannot be {}", description(texel)));
}

// The texel that the function returns, as the instruction's result.
llvm::Value *as_result(FunctionReader &reader, const Instruction &i, llvm::Value *texel) {
  const auto count = static_cast<unsigned>(reader.result_type(i).components());
  return resized(reader.builder(), texel, count, count);
}

// Depth images have texels of one component.
llvm::Type *texel_type(const Type &texel, const ImageShape &shape) {
  return shape.is_depth ? texel.scalar().llvm : llvm::FixedVectorType::get(texel.scalar().llvm, 4);
}

Result<void> add_levels(FunctionReader &reader, const Instruction &i, const ImageShape &shape,
                        const ImageOperands &operands, std::vector<BuiltinArgument> &arguments) {
  if (operands.lod && !is_zero(operands.lod))
    arguments.push_back(argument(operands.lod));
  const unsigned dimensions = dimensions_of(shape);
  for (llvm::Value *gradient : operands.gradient)
    arguments.push_back(argument(
        resized(reader.builder(), gradient, dimensions, dimensions == 3 ? 4 : dimensions)));
  return {};
}

} // namespace

Result<llvm::Value *> translate_sampled_image(FunctionReader &reader, const Instruction &i) {
  if (i.opcode == Op::OpImage)
    return reader.value(i, 0);
  reader.set_sampler(i.result, reader.value(i, 1));
  return reader.value(i, 0);
}

Result<llvm::Value *> translate_image_sample(FunctionReader &reader, const Instruction &i) {
  const ImageShape &shape = reader.type(i, 0).element->image;
  llvm::Value *sampler = reader.find_sampler(reader.word(i, 0));
  if (!sampler)
    return reader.fail(i, 0, "is not the result of OpSampledImage");
  auto operands = image_operands(reader, i, 2);
  LOCKSTEP_TRY(operands);
  auto at = coordinates(reader, i, 1, shape);
  LOCKSTEP_TRY(at);
  const Type &result = reader.result_type(i);
  auto end = suffix(reader, i, result, *operands);
  LOCKSTEP_TRY(end);
  std::vector<BuiltinArgument> arguments = {operand_argument(reader, i, 0), argument(sampler),
                                            argument(*at)};
  LOCKSTEP_TRY(add_levels(reader, i, shape, *operands, arguments));
  auto texel = call_checked(reader, i, fmt::format("read_image{}", *end), texel_type(result, shape),
                            arguments);
  LOCKSTEP_TRY(texel);
  return as_result(reader, i, *texel);
}

Result<llvm::Value *> translate_image_read(FunctionReader &reader, const Instruction &i) {
  const ImageShape &shape = reader.type(i, 0).image;
  auto operands = image_operands(reader, i, 2);
  LOCKSTEP_TRY(operands);
  if (operands->lod && !is_zero(operands->lod))
    return reader.fail(i, "only reads through a sampler have a level of detail");
  auto at = coordinates(reader, i, 1, shape);
  LOCKSTEP_TRY(at);
  const Type &result = reader.result_type(i);
  auto end = suffix(reader, i, result, *operands);
  LOCKSTEP_TRY(end);
  auto texel = call_checked(reader, i, fmt::format("read_image{}", *end), texel_type(result, shape),
                            {operand_argument(reader, i, 0), argument(*at)});
  LOCKSTEP_TRY(texel);
  return as_result(reader, i, *texel);
}

Result<llvm::Value *> translate_image_write(FunctionReader &reader, const Instruction &i) {
  const ImageShape &shape = reader.type(i, 0).image;
  auto operands = image_operands(reader, i, 3);
  LOCKSTEP_TRY(operands);
  auto at = coordinates(reader, i, 1, shape);
  LOCKSTEP_TRY(at);
  const Type &given = reader.type(i, 2);
  auto end = suffix(reader, i, given, *operands);
  LOCKSTEP_TRY(end);
  const unsigned width = shape.is_depth ? 1 : 4;
  llvm::Value *texel = resized(reader.builder(), reader.value(i, 2), width, width);
  const bool has_level = operands->lod && !is_zero(operands->lod);
  std::vector<BuiltinArgument> arguments = {operand_argument(reader, i, 0), argument(*at)};
  if (has_level)
    arguments.push_back(argument(operands->lod));
  arguments.push_back(argument(texel, !operands->extends_zero));
  const bool is_sign_known = *end != "i" || operands->extends_sign;
  auto call = call_checked(reader, i,
                           is_sign_known ? fmt::format("write_image{}", *end)
                                         : std::string("__spirv_write_image"),
                           reader.builder().getVoidTy(), arguments);
  LOCKSTEP_TRY(call);
  return nullptr;
}

} // namespace lockstep::compiler::spirv
