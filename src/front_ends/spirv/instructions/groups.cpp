// Votes, reductions and scans of work-groups and sub-groups.
#include "front_ends/spirv/instructions/groups.h"

#include "front_ends/spirv/instructions/translators.h"

#include <bit>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

struct Combination {
  Op uniform, non_uniform; // OpNop: there is none
  std::string_view name;
  bool is_signed = true, is_logical = false;
};

constexpr Combination combinations[] = {
    {Op::OpGroupIAdd, Op::OpGroupNonUniformIAdd, "add"},
    {Op::OpGroupFAdd, Op::OpGroupNonUniformFAdd, "add"},
    {Op::OpGroupFMin, Op::OpGroupNonUniformFMin, "min"},
    {Op::OpGroupUMin, Op::OpGroupNonUniformUMin, "min", false},
    {Op::OpGroupSMin, Op::OpGroupNonUniformSMin, "min"},
    {Op::OpGroupFMax, Op::OpGroupNonUniformFMax, "max"},
    {Op::OpGroupUMax, Op::OpGroupNonUniformUMax, "max", false},
    {Op::OpGroupSMax, Op::OpGroupNonUniformSMax, "max"},
    {Op::OpGroupIMulKHR, Op::OpGroupNonUniformIMul, "mul"},
    {Op::OpGroupFMulKHR, Op::OpGroupNonUniformFMul, "mul"},
    {Op::OpGroupBitwiseAndKHR, Op::OpGroupNonUniformBitwiseAnd, "and"},
    {Op::OpGroupBitwiseOrKHR, Op::OpGroupNonUniformBitwiseOr, "or"},
    {Op::OpGroupBitwiseXorKHR, Op::OpGroupNonUniformBitwiseXor, "xor"},
    {Op::OpGroupLogicalAndKHR, Op::OpGroupNonUniformLogicalAnd, "logical_and", true, true},
    {Op::OpGroupLogicalOrKHR, Op::OpGroupNonUniformLogicalOr, "logical_or", true, true},
    {Op::OpGroupLogicalXorKHR, Op::OpGroupNonUniformLogicalXor, "logical_xor", true, true},
};

const Combination &find_combination(Op opcode) {
  for (const Combination &combination : combinations)
    if (combination.uniform == opcode || combination.non_uniform == opcode)
      return combination;
  llvm_unreachable("execution_instructions.def names another instruction");
}

// sub_group_reduce_ and its like exist for add, min and max; the non-uniform functions, which do the
// same for all lanes that are there, for all operations.
bool is_of_sub_groups(const Combination &combination) {
  return combination.name == "add" || combination.name == "min" || combination.name == "max";
}

Result<std::string> function_name(FunctionReader &reader, const Instruction &i,
                                  const Combination &combination, std::string_view group) {
  static constexpr std::string_view operations[] = {"reduce_", "scan_inclusive_",
                                                    "scan_exclusive_"};
  const uint32_t operation = reader.word(i, 1);
  const bool is_non_uniform = combination.non_uniform == i.opcode;
  if (operation == static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce) && is_non_uniform)
    return fmt::format("sub_group_clustered_reduce_{}", combination.name);
  if (operation >= std::size(operations))
    return reader.fail(i, 1, "is not an operation of groups");
  const bool is_non_uniform_function =
      is_non_uniform || (group == "sub_group_" && !is_of_sub_groups(combination));
  return fmt::format("{}{}{}{}", group, is_non_uniform_function ? "non_uniform_" : "",
                     operations[operation], combination.name);
}

// The size of a cluster, if the function takes one. One that exceeds the sub-group is undefined only
// where it is executed, so kernels may contain it (OpGroupNonUniformIAdd).
Result<std::optional<BuiltinArgument>> cluster(FunctionReader &reader, const Instruction &i) {
  if (reader.word(i, 1) != static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce))
    return std::optional<BuiltinArgument>();
  const std::optional<uint64_t> size =
      reader.has(i, 3) ? reader.constant(i, 3) : std::optional<uint64_t>();
  if (!size || !std::has_single_bit(*size))
    return reader.fail(i, "the size of the cluster must be a constant and a power of two");
  return std::optional(argument(to_32(reader.builder(), reader.value(i, 3)), false));
}

Result<llvm::Value *> vote(FunctionReader &reader, const Instruction &i, std::string_view name) {
  Builder &builder = reader.builder();
  auto result = call_checked(reader, i, name, builder.getInt32Ty(),
                             {argument(bool_to_int(builder, reader.value(i, 1)))}, true);
  LOCKSTEP_TRY(result);
  return int_to_bool(builder, *result);
}

// Equal in all components. A bool is a number like others here.
Result<llvm::Value *> all_equal(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  auto results =
      by_components(builder, {reader.value(i, 1)},
                    [&](llvm::ArrayRef<llvm::Value *> component) -> Result<llvm::Value *> {
                      llvm::Value *value = component[0];
                      if (value->getType()->isIntegerTy(1))
                        value = bool_to_int(builder, value);
                      auto equal = call_checked(reader, i, "sub_group_non_uniform_all_equal",
                                                builder.getInt32Ty(), {argument(value)}, true);
                      LOCKSTEP_TRY(equal);
                      return int_to_bool(builder, *equal);
                    });
  LOCKSTEP_TRY(results);
  return (*results)->getType()->isVectorTy() ? builder.CreateAndReduce(*results) : *results;
}

} // namespace

Result<std::string_view> group_prefix(FunctionReader &reader, const Instruction &i, size_t scope) {
  const std::optional<uint64_t> value = reader.constant(i, scope);
  if (value == static_cast<uint64_t>(spv::Scope::Workgroup))
    return std::string_view("work_group_");
  if (value == static_cast<uint64_t>(spv::Scope::Subgroup))
    return std::string_view("sub_group_");
  return reader.fail(i, scope, "is not the constant Workgroup or Subgroup");
}

Result<void> check_sub_group(FunctionReader &reader, const Instruction &i, size_t scope) {
  if (reader.constant(i, scope) != static_cast<uint64_t>(spv::Scope::Subgroup))
    return reader.fail(i, scope, "is not the constant Subgroup");
  return {};
}

Result<llvm::Value *> translate_group_arithmetic(FunctionReader &reader, const Instruction &i) {
  const Combination &combination = find_combination(i.opcode);
  auto group = group_prefix(reader, i, 0);
  LOCKSTEP_TRY(group);
  if (combination.non_uniform == i.opcode)
    LOCKSTEP_TRY(check_sub_group(reader, i, 0));
  auto name = function_name(reader, i, combination, *group);
  LOCKSTEP_TRY(name);
  auto size = cluster(reader, i);
  LOCKSTEP_TRY(size);
  Builder &builder = reader.builder();
  return by_components(
      builder, {reader.value(i, 2)},
      [&](llvm::ArrayRef<llvm::Value *> component) -> Result<llvm::Value *> {
        llvm::Value *value =
            combination.is_logical ? bool_to_int(builder, component[0]) : component[0];
        std::vector<BuiltinArgument> arguments = {argument(value, combination.is_signed)};
        if (*size)
          arguments.push_back(**size);
        auto result = call_checked(reader, i, *name, value->getType(), arguments, true);
        LOCKSTEP_TRY(result);
        return combination.is_logical ? int_to_bool(builder, *result) : *result;
      });
}

Result<llvm::Value *> translate_group_vote(FunctionReader &reader, const Instruction &i) {
  const bool is_all = i.opcode == Op::OpGroupAll || i.opcode == Op::OpGroupNonUniformAll;
  if (i.opcode == Op::OpGroupAll || i.opcode == Op::OpGroupAny) {
    auto group = group_prefix(reader, i, 0);
    LOCKSTEP_TRY(group);
    return vote(reader, i, fmt::format("{}{}", *group, is_all ? "all" : "any"));
  }
  LOCKSTEP_TRY(check_sub_group(reader, i, 0));
  if (i.opcode == Op::OpGroupNonUniformAllEqual)
    return all_equal(reader, i);
  if (i.opcode != Op::OpGroupNonUniformElect)
    return vote(reader, i, is_all ? "sub_group_non_uniform_all" : "sub_group_non_uniform_any");
  auto elected =
      call_checked(reader, i, "sub_group_elect", reader.builder().getInt32Ty(), {}, true);
  LOCKSTEP_TRY(elected);
  return int_to_bool(reader.builder(), *elected);
}

} // namespace lockstep::compiler::spirv
