// Pipes: calls of the functions that clang calls (device_lib/pipes.cl). Their names do not contain
// the type of the packets.
#include "front_ends/spirv/instructions/groups.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

struct PipeFunction {
  Op opcode;
  std::string_view name;
  std::optional<bool> writes; // absent: for pipes of both directions
};

constexpr PipeFunction functions[] = {
    {Op::OpReadPipe, "__read_pipe_2", false},
    {Op::OpWritePipe, "__write_pipe_2", true},
    {Op::OpReservedReadPipe, "__read_pipe_4", false},
    {Op::OpReservedWritePipe, "__write_pipe_4", true},
    {Op::OpReserveReadPipePackets, "__reserve_read_pipe", false},
    {Op::OpReserveWritePipePackets, "__reserve_write_pipe", true},
    {Op::OpCommitReadPipe, "__commit_read_pipe", false},
    {Op::OpCommitWritePipe, "__commit_write_pipe", true},
    {Op::OpGetNumPipePackets, "__get_pipe_num_packets_", {}},
    {Op::OpGetMaxPipePackets, "__get_pipe_max_packets_", {}},
    {Op::OpGroupReserveReadPipePackets, "reserve_read_pipe", false},
    {Op::OpGroupReserveWritePipePackets, "reserve_write_pipe", true},
    {Op::OpGroupCommitReadPipe, "commit_read_pipe", false},
    {Op::OpGroupCommitWritePipe, "commit_write_pipe", true},
};

const PipeFunction &find_function(Op opcode) {
  for (const PipeFunction &function : functions)
    if (function.opcode == opcode)
      return function;
  llvm_unreachable("execution_instructions.def names another instruction");
}

Result<bool> writes(FunctionReader &reader, const Instruction &i, size_t operand,
                    const PipeFunction &function) {
  const bool is_written = reader.type(i, operand).access == spv::AccessQualifier::WriteOnly;
  if (function.writes && *function.writes != is_written)
    return reader.fail(i, operand, "is a pipe of the other direction");
  return is_written;
}

// The operands from `first` on. Packets are passed by generic pointers.
std::vector<llvm::Value *> arguments_from(FunctionReader &reader, const Instruction &i,
                                          size_t first) {
  std::vector<llvm::Value *> arguments;
  for (size_t operand = first; operand < reader.count(i); ++operand) {
    llvm::Value *value = reader.value(i, operand);
    arguments.push_back(value->getType()->isPointerTy() ? to_generic(reader.builder(), value)
                                                        : value);
  }
  return arguments;
}

Result<llvm::Value *> call(FunctionReader &reader, const Instruction &i, const std::string &name,
                           size_t first, bool is_convergent) {
  llvm::Type *result =
      i.row->has_result_type ? reader.result_type(i).llvm : reader.builder().getVoidTy();
  llvm::Value *value =
      call_plain(reader, name, result, arguments_from(reader, i, first), is_convergent);
  return i.row->has_result_type ? value : nullptr;
}

} // namespace

Result<llvm::Value *> translate_pipe(FunctionReader &reader, const Instruction &i) {
  const PipeFunction &function = find_function(i.opcode);
  auto is_written = writes(reader, i, 0, function);
  LOCKSTEP_TRY(is_written);
  const std::string_view side = function.writes ? "" : *is_written ? "wo" : "ro";
  return call(reader, i, fmt::format("{}{}", function.name, side), 0, false);
}

Result<llvm::Value *> translate_group_pipe(FunctionReader &reader, const Instruction &i) {
  const PipeFunction &function = find_function(i.opcode);
  auto group = group_prefix(reader, i, 0);
  LOCKSTEP_TRY(group);
  LOCKSTEP_TRY(writes(reader, i, 1, function));
  return call(reader, i, fmt::format("__{}{}", *group, function.name), 1, true);
}

Result<llvm::Value *> translate_reservation(FunctionReader &reader, const Instruction &i) {
  return call_checked(reader, i, "is_valid_reserve_id", reader.builder().getInt1Ty(),
                      {operand_argument(reader, i, 0)});
}

} // namespace lockstep::compiler::spirv
