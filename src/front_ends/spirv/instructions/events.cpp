// Markers, events and the default queue.
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/translators.h"

namespace lockstep::compiler::spirv {
namespace {

struct EventFunction {
  Op opcode;
  std::string_view name;
};

constexpr EventFunction functions[] = {
    {Op::OpRetainEvent, "retain_event"},
    {Op::OpReleaseEvent, "release_event"},
    {Op::OpCreateUserEvent, "create_user_event"},
    {Op::OpIsValidEvent, "is_valid_event"},
    {Op::OpSetUserEventStatus, "set_user_event_status"},
    {Op::OpGetDefaultQueue, "get_default_queue"},
};

std::string_view function_name(Op opcode) {
  for (const EventFunction &function : functions)
    if (function.opcode == opcode)
      return function.name;
  llvm_unreachable("execution_instructions.def names another instruction");
}

} // namespace

Result<llvm::Value *> translate_event(FunctionReader &reader, const Instruction &i) {
  std::vector<BuiltinArgument> arguments;
  for (size_t operand = 0; operand < reader.count(i); ++operand)
    arguments.push_back(operand_argument(reader, i, operand));
  const bool has_result = i.row->has_result_type;
  auto call = call_checked(reader, i, function_name(i.opcode),
                           has_result ? reader.result_type(i).llvm : reader.builder().getVoidTy(),
                           arguments);
  LOCKSTEP_TRY(call);
  return has_result ? *call : nullptr;
}

Result<llvm::Value *> translate_event_profiling(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  llvm::Value *to = reader.value(i, 2);
  auto *global = llvm::PointerType::get(reader.context(), 1);
  ParameterType destination = pointer_to(scalar("v"), 1);
  auto call =
      call_checked(reader, i, "capture_event_profiling_info", builder.getVoidTy(),
                   {operand_argument(reader, i, 0),
                    operand_argument(reader, i, 1),
                    {builder.CreatePointerBitCastOrAddrSpaceCast(to, global), destination}});
  LOCKSTEP_TRY(call);
  return nullptr;
}

Result<llvm::Value *> translate_marker(FunctionReader &reader, const Instruction &i) {
  const ParameterType event =
      *type_of(llvm::TargetExtType::get(reader.context(), "spirv.DeviceEvent"), false);
  Builder &builder = reader.builder();
  return call_checked(reader, i, "enqueue_marker", builder.getInt32Ty(),
                      {operand_argument(reader, i, 0), operand_argument(reader, i, 1, false),
                       pointer_argument(to_generic(builder, reader.value(i, 2)), event, is_const),
                       pointer_argument(to_generic(builder, reader.value(i, 3)), event)});
}

} // namespace lockstep::compiler::spirv
