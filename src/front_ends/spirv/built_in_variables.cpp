#include "front_ends/spirv/built_in_variables.h"

#include "llvm/IR/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

enum class Shape : uint8_t {
  three,  // a vector of three size_t, one call for each dimension
  size,   // size_t
  number, // uint
  mask,   // uint4
};

struct BuiltInFunction {
  spv::BuiltIn built_in;
  const char *name;
  Shape shape;
};

constexpr BuiltInFunction functions[] = {
    {spv::BuiltIn::WorkDim, "get_work_dim", Shape::number},
    {spv::BuiltIn::GlobalSize, "get_global_size", Shape::three},
    {spv::BuiltIn::GlobalInvocationId, "get_global_id", Shape::three},
    {spv::BuiltIn::WorkgroupSize, "get_local_size", Shape::three},
    {spv::BuiltIn::EnqueuedWorkgroupSize, "get_enqueued_local_size", Shape::three},
    {spv::BuiltIn::LocalInvocationId, "get_local_id", Shape::three},
    {spv::BuiltIn::NumWorkgroups, "get_num_groups", Shape::three},
    {spv::BuiltIn::WorkgroupId, "get_group_id", Shape::three},
    {spv::BuiltIn::GlobalOffset, "get_global_offset", Shape::three},
    {spv::BuiltIn::GlobalLinearId, "get_global_linear_id", Shape::size},
    {spv::BuiltIn::LocalInvocationIndex, "get_local_linear_id", Shape::size},
    {spv::BuiltIn::SubgroupSize, "get_sub_group_size", Shape::number},
    {spv::BuiltIn::SubgroupMaxSize, "get_max_sub_group_size", Shape::number},
    {spv::BuiltIn::NumSubgroups, "get_num_sub_groups", Shape::number},
    {spv::BuiltIn::NumEnqueuedSubgroups, "get_enqueued_num_sub_groups", Shape::number},
    {spv::BuiltIn::SubgroupId, "get_sub_group_id", Shape::number},
    {spv::BuiltIn::SubgroupLocalInvocationId, "get_sub_group_local_id", Shape::number},
    {spv::BuiltIn::SubgroupEqMask, "get_sub_group_eq_mask", Shape::mask},
    {spv::BuiltIn::SubgroupGeMask, "get_sub_group_ge_mask", Shape::mask},
    {spv::BuiltIn::SubgroupGtMask, "get_sub_group_gt_mask", Shape::mask},
    {spv::BuiltIn::SubgroupLeMask, "get_sub_group_le_mask", Shape::mask},
    {spv::BuiltIn::SubgroupLtMask, "get_sub_group_lt_mask", Shape::mask},
};

const BuiltInFunction *find(spv::BuiltIn built_in) {
  const auto *found = std::ranges::find(functions, built_in, &BuiltInFunction::built_in);
  return found == std::end(functions) ? nullptr : found;
}

uint64_t components_of(Shape shape) {
  return shape == Shape::three ? 3 : shape == Shape::mask ? 4 : 1;
}

// The call for one dimension of a size or id.
llvm::Value *dimension(FunctionReader &reader, const char *name, unsigned number) {
  auto *size = llvm::Type::getInt64Ty(reader.context());
  auto *argument = llvm::ConstantInt::get(llvm::Type::getInt32Ty(reader.context()), number);
  return reader.call_builtin(name, size, {{argument, scalar("j")}});
}

llvm::Value *three_dimensions(FunctionReader &reader, const char *name, const Type &type) {
  llvm::Value *vector = llvm::PoisonValue::get(type.llvm);
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Value *value =
        reader.builder().CreateZExtOrTrunc(dimension(reader, name, i), type.element->llvm);
    vector = reader.builder().CreateInsertElement(vector, value, i);
  }
  return vector;
}

} // namespace

Result<void> check_built_in(const Instruction &variable, spv::BuiltIn built_in, const Type &type) {
  const BuiltInFunction *function = find(built_in);
  if (!function)
    return error_at(variable, fmt::format("kernels do not have the built-in variable {}",
                                          static_cast<unsigned>(built_in)));
  if (!type.scalar().is(TypeKind::int_type) ||
      type.components() != components_of(function->shape) ||
      type.is(TypeKind::vector) != (type.components() > 1) || type.scalar().width < 32)
    return error_at(
        variable, fmt::format("the built-in variable cannot have the type {}", description(type)));
  return {};
}

llvm::Value *built_in_value(FunctionReader &reader, spv::BuiltIn built_in, const Type &type) {
  const BuiltInFunction &function = *find(built_in);
  if (function.shape == Shape::three)
    return three_dimensions(reader, function.name, type);
  llvm::LLVMContext &context = reader.context();
  llvm::Type *result = function.shape == Shape::size ? llvm::Type::getInt64Ty(context)
                                                     : llvm::Type::getInt32Ty(context);
  if (function.shape == Shape::mask)
    result = llvm::FixedVectorType::get(result, 4);
  return reader.builder().CreateZExtOrTrunc(reader.call_builtin(function.name, result, {}),
                                            type.llvm);
}

} // namespace lockstep::compiler::spirv
