// Instructions that move values between the work-items of a group: broadcasts, shuffles, ballots.
#include "front_ends/spirv/instructions/groups.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// The ids that a broadcast of a work-group names: one number, or a vector of two or three.
std::vector<BuiltinArgument> local_ids(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  llvm::Value *id = reader.value(i, 2);
  std::vector<BuiltinArgument> arguments;
  for (unsigned dimension = 0; dimension < reader.type(i, 2).components(); ++dimension) {
    llvm::Value *component =
        id->getType()->isVectorTy() ? builder.CreateExtractElement(id, dimension) : id;
    arguments.push_back(argument(to_64(builder, component), false));
  }
  return arguments;
}

struct Move {
  Op opcode;
  std::string_view name;
  bool is_signed_index = false; // of the second argument
};

// Their operands: scope, value, index if there is one, size of a cluster if there is one.
constexpr Move moves[] = {
    {Op::OpGroupNonUniformBroadcast, "sub_group_non_uniform_broadcast"},
    {Op::OpGroupNonUniformBroadcastFirst, "sub_group_broadcast_first"},
    {Op::OpGroupNonUniformShuffle, "sub_group_shuffle"},
    {Op::OpGroupNonUniformShuffleXor, "sub_group_shuffle_xor"},
    {Op::OpGroupNonUniformShuffleUp, "sub_group_shuffle_up"},
    {Op::OpGroupNonUniformShuffleDown, "sub_group_shuffle_down"},
    {Op::OpGroupNonUniformRotateKHR, "sub_group_rotate", true},
};

const Move &find_move(Op opcode) {
  for (const Move &move : moves)
    if (move.opcode == opcode)
      return move;
  llvm_unreachable("execution_instructions.def names another instruction");
}

Result<std::optional<BuiltinArgument>> cluster_of_rotation(FunctionReader &reader,
                                                           const Instruction &i) {
  if (!reader.has(i, 3))
    return std::optional<BuiltinArgument>();
  const std::optional<uint64_t> size = reader.constant(i, 3);
  if (!size || *size == 0 || (*size & (*size - 1)) != 0)
    return reader.fail(i, 3, "is not a constant and a power of two");
  return std::optional(argument(to_32(reader.builder(), reader.value(i, 3)), false));
}

struct Ballot {
  Op opcode;
  std::string_view name;
  bool is_predicate = false; // the result
  std::optional<size_t> index{};
};

// Their operands: scope, ballot, index if there is one.
constexpr Ballot ballots[] = {
    {Op::OpGroupNonUniformInverseBallot, "sub_group_inverse_ballot", true},
    {Op::OpGroupNonUniformBallotBitExtract, "sub_group_ballot_bit_extract", true, 2},
    {Op::OpGroupNonUniformBallotFindLSB, "sub_group_ballot_find_lsb"},
    {Op::OpGroupNonUniformBallotFindMSB, "sub_group_ballot_find_msb"},
};

const Ballot &find_ballot(Op opcode) {
  for (const Ballot &ballot : ballots)
    if (ballot.opcode == opcode)
      return ballot;
  llvm_unreachable("execution_instructions.def names another instruction");
}

Result<llvm::Value *> make_ballot(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  auto *bits = llvm::FixedVectorType::get(builder.getInt32Ty(), 4);
  if (reader.result_type(i).llvm != bits)
    return reader.fail(i, "its result is not a vector of 4 int32");
  return call_checked(reader, i, "sub_group_ballot", bits,
                      {argument(bool_to_int(builder, reader.value(i, 1)))}, true);
}

Result<llvm::Value *> count_ballot(FunctionReader &reader, const Instruction &i) {
  static constexpr std::string_view names[] = {"sub_group_ballot_bit_count",
                                               "sub_group_ballot_inclusive_scan",
                                               "sub_group_ballot_exclusive_scan"};
  const uint32_t operation = reader.word(i, 1);
  if (operation >= std::size(names))
    return reader.fail(i, 1, "is not an operation on ballots");
  auto count = call_checked(reader, i, names[operation], reader.builder().getInt32Ty(),
                            {operand_argument(reader, i, 2, false)});
  LOCKSTEP_TRY(count);
  return to_width(reader.builder(), *count, reader.result_type(i).width);
}

} // namespace

Result<llvm::Value *>
move_value(FunctionReader &reader, const Instruction &i, size_t operand,
           llvm::function_ref<Result<llvm::Value *>(llvm::Value *)> operation) {
  Builder &builder = reader.builder();
  if (!type_of(reader.value(i, operand)->getType(), true))
    return reader.fail(i, operand,
                       fmt::format("is {}; groups exchange numbers, bools and vectors of them",
                                   description(reader.type(i, operand))));
  return by_components(builder, {reader.value(i, operand)},
                       [&](llvm::ArrayRef<llvm::Value *> component) -> Result<llvm::Value *> {
                         if (!component[0]->getType()->isIntegerTy(1))
                           return operation(component[0]);
                         auto moved = operation(bool_to_int(builder, component[0]));
                         LOCKSTEP_TRY(moved);
                         return int_to_bool(builder, *moved);
                       });
}

Result<llvm::Value *> translate_group_broadcast(FunctionReader &reader, const Instruction &i) {
  auto group = group_prefix(reader, i, 0);
  LOCKSTEP_TRY(group);
  const bool is_work_group = *group == "work_group_";
  if (reader.type(i, 2).components() > (is_work_group ? 3 : 1))
    return reader.fail(i, 2, "has more components than there are dimensions");
  return move_value(reader, i, 1, [&](llvm::Value *value) {
    std::vector<BuiltinArgument> arguments = {argument(value)};
    if (is_work_group)
      llvm::append_range(arguments, local_ids(reader, i));
    else
      arguments.push_back(argument(to_32(reader.builder(), reader.value(i, 2)), false));
    return call_checked(reader, i, fmt::format("{}broadcast", *group), value->getType(), arguments,
                        true);
  });
}

Result<llvm::Value *> translate_group_move(FunctionReader &reader, const Instruction &i) {
  LOCKSTEP_TRY(check_sub_group(reader, i, 0));
  const Move &move = find_move(i.opcode);
  auto cluster = cluster_of_rotation(reader, i);
  LOCKSTEP_TRY(cluster);
  return move_value(reader, i, 1, [&](llvm::Value *value) {
    std::vector<BuiltinArgument> arguments = {argument(value)};
    if (reader.has(i, 2))
      arguments.push_back(
          argument(to_32(reader.builder(), reader.value(i, 2)), move.is_signed_index));
    if (*cluster)
      arguments.push_back(**cluster);
    return call_checked(reader, i, *cluster ? "sub_group_clustered_rotate" : move.name,
                        value->getType(), arguments, true);
  });
}

Result<llvm::Value *> translate_ballot(FunctionReader &reader, const Instruction &i) {
  LOCKSTEP_TRY(check_sub_group(reader, i, 0));
  if (i.opcode == Op::OpGroupNonUniformBallot)
    return make_ballot(reader, i);
  if (i.opcode == Op::OpGroupNonUniformBallotBitCount)
    return count_ballot(reader, i);
  Builder &builder = reader.builder();
  const Ballot &ballot = find_ballot(i.opcode);
  std::vector<BuiltinArgument> arguments = {operand_argument(reader, i, 1, false)};
  if (ballot.index)
    arguments.push_back(argument(to_32(builder, reader.value(i, *ballot.index)), false));
  auto result = call_checked(reader, i, ballot.name, builder.getInt32Ty(), arguments);
  LOCKSTEP_TRY(result);
  return ballot.is_predicate ? int_to_bool(builder, *result)
                             : to_width(builder, *result, reader.result_type(i).width);
}

} // namespace lockstep::compiler::spirv
