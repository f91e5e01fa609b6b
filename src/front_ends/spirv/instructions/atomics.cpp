// Atomic instructions: calls of atomic_*_explicit(..., order, scope), never LLVM's atomics. Later
// stages recognize these functions by name, and the device library handles orders and scopes that
// are not constants.
#include "front_ends/spirv/instructions/memory_semantics.h"
#include "front_ends/spirv/instructions/translators.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

struct Operation {
  Op opcode;
  std::string_view name; // atomic_NAME_explicit
  bool is_signed = true;
  std::optional<uint64_t> operand{}; // absent: the instruction has one
};

constexpr Operation operations[] = {
    {Op::OpAtomicExchange, "exchange"},
    {Op::OpAtomicIIncrement, "fetch_add", true, 1},
    {Op::OpAtomicIDecrement, "fetch_sub", true, 1},
    {Op::OpAtomicIAdd, "fetch_add"},
    {Op::OpAtomicISub, "fetch_sub"},
    {Op::OpAtomicSMin, "fetch_min"},
    {Op::OpAtomicUMin, "fetch_min", false},
    {Op::OpAtomicSMax, "fetch_max"},
    {Op::OpAtomicUMax, "fetch_max", false},
    {Op::OpAtomicAnd, "fetch_and"},
    {Op::OpAtomicOr, "fetch_or"},
    {Op::OpAtomicXor, "fetch_xor"},
    {Op::OpAtomicFAddEXT, "fetch_add"},
    {Op::OpAtomicFMinEXT, "fetch_min"},
    {Op::OpAtomicFMaxEXT, "fetch_max"},
};

const Operation *find_operation(Op opcode) {
  for (const Operation &operation : operations)
    if (operation.opcode == opcode)
      return &operation;
  return nullptr;
}

// Private memory has no atomic functions of its own.
llvm::Value *shared_pointer(FunctionReader &reader, const Instruction &i, size_t operand) {
  llvm::Value *pointer = reader.value(i, operand);
  return pointer->getType()->getPointerAddressSpace() == 0 ? to_generic(reader.builder(), pointer)
                                                           : pointer;
}

BuiltinArgument object(llvm::Value *pointer, llvm::Type *type, bool is_signed) {
  return pointer_argument(pointer, type_of(type, is_signed).value_or(scalar("?")),
                          is_volatile | is_atomic);
}

// The result is the old value, which the function of OpenCL C writes to its second argument.
Result<llvm::Value *> compare_exchange(FunctionReader &reader, const Instruction &i) {
  llvm::Type *type = reader.result_type(i).llvm;
  llvm::Value *pointer = shared_pointer(reader, i, 0);
  llvm::AllocaInst *expected = reader.private_variable(type);
  reader.builder().CreateStore(reader.value(i, 5), expected);
  const BuiltinArgument value = operand_argument(reader, i, 4);
  auto is_exchanged = call_checked(
      reader, i, "atomic_compare_exchange_strong_explicit", reader.builder().getInt1Ty(),
      {object(pointer, type, true), pointer_argument(expected, value.type), value,
       order_argument(reader, i, 2, Access::any), order_argument(reader, i, 3, Access::load),
       scope_for(reader, i, 1, pointer)});
  LOCKSTEP_TRY(is_exchanged);
  return reader.builder().CreateLoad(type, expected);
}

} // namespace

Result<llvm::Value *> translate_atomic(FunctionReader &reader, const Instruction &i) {
  if (i.opcode == Op::OpAtomicCompareExchange || i.opcode == Op::OpAtomicCompareExchangeWeak)
    return compare_exchange(reader, i);
  const Operation *operation = find_operation(i.opcode);
  llvm::Type *type = reader.result_type(i).llvm;
  llvm::Value *pointer = shared_pointer(reader, i, 0);
  llvm::Value *value =
      operation->operand ? llvm::ConstantInt::get(type, *operation->operand) : reader.value(i, 3);
  return call_checked(
      reader, i, fmt::format("atomic_{}_explicit", operation->name), type,
      {object(pointer, type, operation->is_signed), argument(value, operation->is_signed),
       order_argument(reader, i, 2, Access::any), scope_for(reader, i, 1, pointer)});
}

Result<llvm::Value *> translate_atomic_load_store(FunctionReader &reader, const Instruction &i) {
  llvm::Value *pointer = shared_pointer(reader, i, 0);
  if (i.opcode == Op::OpAtomicLoad) {
    llvm::Type *type = reader.result_type(i).llvm;
    return call_checked(reader, i, "atomic_load_explicit", type,
                        {object(pointer, type, true), order_argument(reader, i, 2, Access::load),
                         scope_for(reader, i, 1, pointer)});
  }
  const BuiltinArgument value = operand_argument(reader, i, 3);
  auto call =
      call_checked(reader, i, "atomic_store_explicit", reader.builder().getVoidTy(),
                   {object(pointer, value.value->getType(), true), value,
                    order_argument(reader, i, 2, Access::store), scope_for(reader, i, 1, pointer)});
  LOCKSTEP_TRY(call);
  return nullptr;
}

Result<llvm::Value *> translate_atomic_flag(FunctionReader &reader, const Instruction &i) {
  const bool sets = i.opcode == Op::OpAtomicFlagTestAndSet;
  Builder &builder = reader.builder();
  llvm::Value *pointer = shared_pointer(reader, i, 0);
  auto call = call_checked(
      reader, i, sets ? "atomic_flag_test_and_set_explicit" : "atomic_flag_clear_explicit",
      sets ? builder.getInt1Ty() : builder.getVoidTy(),
      {object(pointer, builder.getInt32Ty(), true),
       order_argument(reader, i, 2, sets ? Access::any : Access::store),
       scope_for(reader, i, 1, pointer)});
  LOCKSTEP_TRY(call);
  return sets ? *call : nullptr;
}

} // namespace lockstep::compiler::spirv
