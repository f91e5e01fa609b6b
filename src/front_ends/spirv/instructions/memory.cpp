#include "front_ends/spirv/decorations.h"
#include "front_ends/spirv/instructions/translators.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using llvm::Value;

constexpr uint64_t largest_variable = uint64_t{1} << 30; // bytes
// A constant with more parts is copied from memory: LLVM stores the parts one by one.
constexpr uint64_t most_stored_parts = 16;

constexpr uint32_t volatile_bit = 1, aligned_bit = 2, nontemporal_bit = 4;
// SPV_INTEL_memory_access_aliasing: hints with an id each.
constexpr uint32_t aliasing_bits = 0x30000;

struct MemoryOperands {
  bool is_volatile = false, is_nontemporal = false;
  std::optional<llvm::Align> alignment; // absent: the natural one
  size_t next = 0;                      // the operand after them
};

Result<MemoryOperands> memory_operands(FunctionReader &reader, const Instruction &i, size_t first) {
  MemoryOperands result;
  result.next = first;
  if (!reader.has(i, first))
    return result;
  const uint32_t mask = reader.word(i, result.next++);
  if ((mask & ~(volatile_bit | aligned_bit | nontemporal_bit | aliasing_bits)) != 0)
    return reader.fail(i, first,
                       fmt::format("is {:#x}, which has memory operands that kernels do "
                                   "not have",
                                   mask));
  result.is_volatile = mask & volatile_bit;
  result.is_nontemporal = mask & nontemporal_bit;
  if (mask & aligned_bit) {
    if (!reader.has(i, result.next))
      return reader.fail(i, "the alignment is missing");
    result.alignment = alignment_from(reader.word(i, result.next++));
  }
  result.next += static_cast<size_t>(llvm::popcount(mask & aliasing_bits));
  return result;
}

bool is_volatile_pointer(FunctionReader &reader, const Instruction &i, size_t operand) {
  return reader.source().has_decoration(reader.word(i, operand), spv::Decoration::Volatile);
}

void add_nontemporal(FunctionReader &reader, llvm::Instruction &access) {
  access.setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(reader.context(), llvm::ConstantAsMetadata::get(
                                                             reader.builder().getInt32(1))));
}

llvm::Align natural(FunctionReader &reader, const Type &type) {
  return reader.target().getDataLayout().getABITypeAlign(type.llvm);
}

Result<void> check_pointee(FunctionReader &reader, const Instruction &i, size_t operand,
                           const Type &wanted) {
  const Type *element = reader.type(i, operand).element;
  if (!element || element->llvm != wanted.llvm || element->size == 0)
    return reader.fail(i, operand,
                       fmt::format("points to {}, not {}",
                                   element ? description(*element) : "an incomplete type",
                                   description(wanted)));
  return {};
}

// A store of a large constant: it becomes data of the program, which is copied.
void copy_constant(FunctionReader &reader, llvm::Constant *constant, const Type &type,
                   Value *pointer, llvm::Align alignment, bool is_volatile) {
  Builder &builder = reader.builder();
  if (constant->isNullValue()) {
    builder.CreateMemSet(pointer, builder.getInt8(0), type.size, alignment, is_volatile);
    return;
  }
  auto *data =
      new llvm::GlobalVariable(reader.target(), type.llvm, true, llvm::GlobalValue::InternalLinkage,
                               constant, "constant", nullptr, llvm::GlobalValue::NotThreadLocal, 2);
  data->setAlignment(natural(reader, type));
  builder.CreateMemCpy(pointer, alignment, data, data->getAlign(), type.size, is_volatile);
}

void store(FunctionReader &reader, Value *value, const Type &type, Value *pointer,
           const MemoryOperands &how) {
  const llvm::Align alignment = how.alignment.value_or(natural(reader, type));
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(value);
      constant && type.leaves > most_stored_parts)
    return copy_constant(reader, constant, type, pointer, alignment, how.is_volatile);
  llvm::StoreInst *made =
      reader.builder().CreateAlignedStore(value, pointer, alignment, how.is_volatile);
  if (how.is_nontemporal)
    add_nontemporal(reader, *made);
}

// The number of a sampler that is a variable of the module (DeclarationReader::read_sampler). Null:
// another pointer.
llvm::ConstantInt *sampler_number(Value *pointer) {
  auto *address = llvm::dyn_cast<llvm::ConstantExpr>(pointer);
  if (!address || address->getOpcode() != llvm::Instruction::IntToPtr)
    return nullptr;
  auto *number = llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(0));
  if (!number || number->getBitWidth() != 32)
    return nullptr; // of OpConvertUToPtr
  const uint64_t value = number->getZExtValue(), mode = value >> 1 & 7, filter = value >> 4;
  return mode <= 4 && (filter == 1 || filter == 2) ? number : nullptr;
}

Result<Value *> load_sampler(FunctionReader &reader, const Instruction &i, const Type &type) {
  const Type *element = reader.type(i, 0).element;
  llvm::ConstantInt *number = sampler_number(reader.value(i, 0));
  if (!element || element->llvm != type.llvm || !number)
    return reader.fail(i, 0, "is not a variable of the module that is a constant sampler");
  auto *function = llvm::FunctionType::get(type.llvm, {number->getType()}, false);
  return reader.call_function("__translate_sampler_initializer", function, {number});
}

Result<Value *> translate_load(FunctionReader &reader, const Instruction &i) {
  const Type &type = reader.result_type(i);
  if (type.is(TypeKind::sampler) &&
      reader.type(i, 0).storage_class == spv::StorageClass::UniformConstant)
    return load_sampler(reader, i, type);
  LOCKSTEP_TRY(check_pointee(reader, i, 0, type));
  auto how = memory_operands(reader, i, 1);
  LOCKSTEP_TRY(how);
  const bool is_volatile = how->is_volatile || is_volatile_pointer(reader, i, 0);
  llvm::LoadInst *made = reader.builder().CreateAlignedLoad(
      type.llvm, reader.value(i, 0), how->alignment.value_or(natural(reader, type)), is_volatile);
  if (how->is_nontemporal)
    add_nontemporal(reader, *made);
  return made;
}

Result<Value *> translate_store(FunctionReader &reader, const Instruction &i) {
  const Type &type = reader.type(i, 1);
  LOCKSTEP_TRY(check_pointee(reader, i, 0, type));
  auto how = memory_operands(reader, i, 2);
  LOCKSTEP_TRY(how);
  how->is_volatile |= is_volatile_pointer(reader, i, 0);
  store(reader, reader.value(i, 1), type, reader.value(i, 0), *how);
  return nullptr;
}

} // namespace

Result<Value *> translate_load_store(FunctionReader &reader, const Instruction &i) {
  return i.opcode == Op::OpLoad ? translate_load(reader, i) : translate_store(reader, i);
}

Result<Value *> translate_variable(FunctionReader &reader, const Instruction &i) {
  const Type &pointer = reader.result_type(i);
  if (!reader.in_function() || pointer.storage_class != spv::StorageClass::Function ||
      reader.word(i, 0) != static_cast<uint32_t>(spv::StorageClass::Function))
    return reader.fail(i, "variables of functions are in the storage class Function");
  const Type *type = pointer.element;
  if (!type || type->size == 0 || type->size > largest_variable)
    return reader.fail(i, "the variable's type has no size, or more than 1 GiB");
  llvm::AllocaInst *variable = reader.private_variable(type->llvm);
  if (const auto alignment = alignment_of(reader.source(), i.result))
    variable->setAlignment(*alignment);
  if (!reader.has(i, 1))
    return variable;
  const TypedValue *initial = reader.find_value(reader.word(i, 1));
  if (!initial || initial->type->llvm != type->llvm)
    return reader.fail(i, 1, "is not a value of the variable's type");
  MemoryOperands how;
  how.alignment = variable->getAlign();
  store(reader, initial->value, *type, variable, how);
  return variable;
}

Result<Value *> translate_copy_memory(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  const bool is_sized = i.opcode == Op::OpCopyMemorySized;
  auto target = memory_operands(reader, i, is_sized ? 3 : 2);
  LOCKSTEP_TRY(target);
  auto source = memory_operands(reader, i, target->next);
  LOCKSTEP_TRY(source);
  const bool has_two = target->next < i.operands.size();
  const MemoryOperands &from = has_two ? *source : *target;
  const bool is_volatile = target->is_volatile || from.is_volatile ||
                           is_volatile_pointer(reader, i, 0) || is_volatile_pointer(reader, i, 1);
  Value *size = nullptr;
  llvm::Align alignment;
  if (is_sized) {
    size = builder.CreateZExtOrTrunc(reader.value(i, 2), builder.getInt64Ty());
  } else {
    const Type *type = reader.type(i, 1).element;
    if (!type)
      return reader.fail(i, 1, "points to an incomplete type");
    LOCKSTEP_TRY(check_pointee(reader, i, 0, *type));
    size = builder.getInt64(type->size);
    alignment = natural(reader, *type);
  }
  // LLVM 22 writes memmove as this.
  builder.CreateMemMove(reader.value(i, 0), target->alignment.value_or(alignment),
                        reader.value(i, 1), from.alignment.value_or(alignment), size, is_volatile);
  return nullptr;
}

} // namespace lockstep::compiler::spirv
