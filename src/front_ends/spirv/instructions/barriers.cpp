// Barriers and fences.
#include "front_ends/spirv/instructions/memory_semantics.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr auto group = static_cast<uint64_t>(spv::Scope::Workgroup);
constexpr auto sub_group = static_cast<uint64_t>(spv::Scope::Subgroup);
constexpr auto invocation = static_cast<uint64_t>(spv::Scope::Invocation);

Result<llvm::Value *> fence(FunctionReader &reader, const Instruction &i, size_t scope,
                            size_t semantics) {
  const BuiltinArgument flags = flags_argument(reader, i, semantics);
  auto call = call_checked(reader, i, "atomic_work_item_fence", reader.builder().getVoidTy(),
                           {flags, order_argument(reader, i, semantics, Access::any),
                            scope_for_flags(reader, i, scope, flags.value)});
  LOCKSTEP_TRY(call);
  return nullptr;
}

// The scope of a barrier's fences is what the program says: in OpenCL C, too, it is the work-group
// unless the program names another one.
Result<llvm::Value *> barrier(FunctionReader &reader, const Instruction &i, std::string_view name) {
  auto call = call_checked(reader, i, name, reader.builder().getVoidTy(),
                           {flags_argument(reader, i, 2), scope_argument(reader, i, 1)}, true);
  LOCKSTEP_TRY(call);
  return nullptr;
}

// The scope of execution is known only at run time.
Result<llvm::Value *> barrier_of_scope(FunctionReader &reader, const Instruction &i) {
  auto call = call_checked(reader, i, "__spirv_control_barrier", reader.builder().getVoidTy(),
                           {operand_argument(reader, i, 0, false), flags_argument(reader, i, 2),
                            scope_argument(reader, i, 1)},
                           true);
  LOCKSTEP_TRY(call);
  return nullptr;
}

} // namespace

// A work-group barrier may be in two parts: what the first part announces, the second one waits for.
// Here the first part is a fence, and all wait at the second one.
Result<llvm::Value *> translate_barrier(FunctionReader &reader, const Instruction &i) {
  if (i.opcode == Op::OpControlBarrierArriveINTEL)
    return fence(reader, i, 1, 2);
  const std::optional<uint64_t> scope = reader.constant(i, 0);
  if (!scope)
    return barrier_of_scope(reader, i);
  if (*scope == invocation)
    return fence(reader, i, 1, 2);
  if (*scope != group && *scope != sub_group)
    return reader.fail(i, 0,
                       fmt::format("is {}; the scope of execution must be Workgroup or "
                                   "Subgroup (OpenCL SPIR-V Environment 2.10)",
                                   *scope));
  return barrier(reader, i, *scope == group ? "work_group_barrier" : "sub_group_barrier");
}

Result<llvm::Value *> translate_fence(FunctionReader &reader, const Instruction &i) {
  return fence(reader, i, 0, 1);
}

} // namespace lockstep::compiler::spirv
