// Queries of images: sizes, formats, levels.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/image_operands.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// The sizes by dimension of a level, and the number of layers.
Result<std::vector<llvm::Value *>> sizes(FunctionReader &reader, const Instruction &i,
                                         llvm::Value *level) {
  static constexpr std::string_view queries[] = {"get_image_width", "get_image_height",
                                                 "get_image_depth"};
  Builder &builder = reader.builder();
  const ImageShape &shape = reader.type(i, 0).image;
  std::vector<llvm::Value *> result;
  for (unsigned dimension = 0; dimension < dimensions_of(shape); ++dimension) {
    auto size = call_checked(reader, i, queries[dimension], builder.getInt32Ty(),
                             {operand_argument(reader, i, 0)});
    LOCKSTEP_TRY(size);
    result.push_back(*size);
    if (level && !is_zero(level)) // of each level half as much, but at least 1
      result.back() = builder.CreateBinaryIntrinsic(
          llvm::Intrinsic::umax, builder.CreateLShr(*size, to_32(builder, level)),
          builder.getInt32(1));
  }
  if (shape.is_array) {
    auto layers = call_checked(reader, i, "get_image_array_size", builder.getInt64Ty(),
                               {operand_argument(reader, i, 0)});
    LOCKSTEP_TRY(layers);
    result.push_back(*layers);
  }
  return result;
}

struct Query {
  Op opcode;
  std::string_view name;
  uint32_t first_value; // that OpenCL has for SPIR-V's 0
};
constexpr Query queries[] = {
    {Op::OpImageQueryFormat, "get_image_channel_data_type", 0x10D0},
    {Op::OpImageQueryOrder, "get_image_channel_order", 0x10B0},
    {Op::OpImageQueryLevels, "get_image_num_mip_levels", 0},
};

} // namespace

Result<llvm::Value *> translate_image_size(FunctionReader &reader, const Instruction &i) {
  auto all = sizes(reader, i, reader.has(i, 1) ? reader.value(i, 1) : nullptr);
  LOCKSTEP_TRY(all);
  const Type &type = reader.result_type(i);
  if (type.components() != all->size())
    return reader.fail(
        i, fmt::format("its result is {}; the image has {} sizes", description(type), all->size()));
  Builder &builder = reader.builder();
  if (!type.is(TypeKind::vector))
    return to_width(builder, all->front(), type.width);
  llvm::Value *result = llvm::PoisonValue::get(type.llvm);
  for (size_t size = 0; size < all->size(); ++size)
    result = builder.CreateInsertElement(
        result, to_width(builder, (*all)[size], type.element->width), size);
  return result;
}

Result<llvm::Value *> translate_image_query(FunctionReader &reader, const Instruction &i) {
  for (const Query &query : queries)
    if (query.opcode == i.opcode) {
      Builder &builder = reader.builder();
      auto value = call_checked(reader, i, query.name, builder.getInt32Ty(),
                                {operand_argument(reader, i, 0)});
      LOCKSTEP_TRY(value);
      return to_width(builder, builder.CreateSub(*value, builder.getInt32(query.first_value)),
                      reader.result_type(i).width);
    }
  llvm_unreachable("execution_instructions.def names another instruction");
}

} // namespace lockstep::compiler::spirv
