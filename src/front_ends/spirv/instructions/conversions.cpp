#include "front_ends/spirv/instructions/translators.h"

#include "llvm/IR/Constants.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using llvm::Value;

// Which side of a conversion is signed. Floats count as signed.
bool source_is_signed(Op opcode) {
  return opcode != Op::OpConvertUToF && opcode != Op::OpUConvert && opcode != Op::OpSatConvertUToS;
}

bool result_is_signed(Op opcode) {
  return opcode != Op::OpConvertFToU && opcode != Op::OpUConvert && opcode != Op::OpSatConvertSToU;
}

bool saturates(FunctionReader &reader, const Instruction &i) {
  return i.opcode == Op::OpSatConvertSToU || i.opcode == Op::OpSatConvertUToS ||
         reader.decoration(i, spv::Decoration::SaturatedConversion);
}

// A conversion with a rounding mode or saturation is a function of OpenCL C.
Value *convert_by_function(FunctionReader &reader, const Instruction &i, const char *rounding) {
  llvm::Type *type = reader.result_type(i).llvm;
  Value *operand = reader.value(i, 0);
  const std::string name =
      fmt::format("convert_{}{}{}", opencl_c_name(type, result_is_signed(i.opcode)),
                  saturates(reader, i) ? "_sat" : "", rounding);
  return reader.call_builtin(name, type,
                             {{operand, *type_of(operand->getType(), source_is_signed(i.opcode))}});
}

// The result is implementation-defined where LLVM's is poison.
Value *defined(Builder &builder, Value *value) {
  return llvm::isa<llvm::Constant>(value) ? value : builder.CreateFreeze(value);
}

Value *convert(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *operand = reader.value(i, 0);
  llvm::Type *type = reader.result_type(i).llvm;
  switch (i.opcode) {
  case Op::OpConvertFToU:
    return defined(builder, builder.CreateFPToUI(operand, type));
  case Op::OpConvertFToS:
    return defined(builder, builder.CreateFPToSI(operand, type));
  case Op::OpConvertSToF:
    return builder.CreateSIToFP(operand, type);
  case Op::OpConvertUToF:
    return builder.CreateUIToFP(operand, type);
  case Op::OpUConvert:
    return builder.CreateZExtOrTrunc(operand, type);
  case Op::OpSConvert:
    return builder.CreateSExtOrTrunc(operand, type);
  default:
    return builder.CreateFPCast(operand, type);
  }
}

bool is_number(const Type &type) {
  return type.scalar().is(TypeKind::int_type) || type.scalar().is(TypeKind::float_type);
}

uint64_t bits_of(const Type &type) {
  return type.components() * type.scalar().width;
}

bool points_to(const Type &type, spv::StorageClass storage) {
  return type.storage_class == storage;
}

bool is_named_storage(const Type &type) {
  return points_to(type, spv::StorageClass::CrossWorkgroup) ||
         points_to(type, spv::StorageClass::Workgroup) ||
         points_to(type, spv::StorageClass::Function);
}

Result<Value *> cast_explicitly(FunctionReader &reader, const Instruction &i) {
  const Type &type = reader.result_type(i);
  if (reader.word(i, 1) != static_cast<uint32_t>(type.storage_class))
    return reader.fail(i, 1, "is not the storage class of the result");
  const char *name = points_to(type, spv::StorageClass::CrossWorkgroup) ? "__to_global"
                     : points_to(type, spv::StorageClass::Workgroup)    ? "__to_local"
                                                                        : "__to_private";
  Value *operand = reader.value(i, 0);
  auto *function = llvm::FunctionType::get(type.llvm, {operand->getType()}, false);
  return reader.call_function(name, function, {operand});
}

// The bits of memory semantics: CLK_LOCAL_MEM_FENCE becomes WorkgroupMemory, and so on.
Value *memory_semantics(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *fence = reader.call_builtin("get_fence", builder.getInt32Ty(),
                                     {{reader.value(i, 0), pointer_to(scalar("v"), 4)}});
  return builder.CreateShl(fence, 8);
}

} // namespace

Result<Value *> translate_conversion(FunctionReader &reader, const Instruction &i) {
  static constexpr const char *rounding_names[] = {"_rte", "_rtz", "_rtp", "_rtn"};
  const Decoration *rounding = reader.decoration(i, spv::Decoration::FPRoundingMode);
  if (!rounding && !saturates(reader, i))
    return convert(reader, i);
  if (rounding && (rounding->operands.empty() || rounding->operands[0] >= 4))
    return reader.fail(i, "the rounding mode is unknown");
  return convert_by_function(reader, i, rounding ? rounding_names[rounding->operands[0]] : "");
}

Result<Value *> translate_bit_cast(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *operand = reader.value(i, 0);
  const Type &from = reader.type(i, 0), &to = reader.result_type(i);
  if (from.llvm == to.llvm && (is_number(from) || from.is(TypeKind::pointer)))
    return operand;
  const bool from_pointer = from.is(TypeKind::pointer), to_pointer = to.is(TypeKind::pointer);
  const bool are_fit = (from_pointer || is_number(from)) && (to_pointer || is_number(to)) &&
                       !(from_pointer && to_pointer);
  if (!are_fit || (from_pointer ? 64 : bits_of(from)) != (to_pointer ? 64 : bits_of(to)))
    return reader.fail(
        i, 0, fmt::format("is {}, which cannot be cast to {}", description(from), description(to)));
  if (from_pointer)
    return builder.CreateBitCast(builder.CreatePtrToInt(operand, builder.getInt64Ty()), to.llvm);
  if (to_pointer)
    return builder.CreateIntToPtr(builder.CreateBitCast(operand, builder.getInt64Ty()), to.llvm);
  return builder.CreateBitCast(operand, to.llvm);
}

Result<Value *> size_of_pointee(FunctionReader &reader, const Instruction &i, const Type &pointer) {
  const uint64_t size = pointer.element ? pointer.element->size : 0;
  if (size == 0 || size > UINT32_MAX)
    return reader.fail(i, 0, "points to a type without a size, or of 4 GiB or more");
  return reader.builder().getInt32(static_cast<uint32_t>(size));
}

Result<Value *> translate_pointer_cast(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *operand = reader.value(i, 0);
  const Type &from = reader.type(i, 0), &to = reader.result_type(i);
  switch (i.opcode) {
  case Op::OpConvertPtrToU:
    return builder.CreateZExtOrTrunc(builder.CreatePtrToInt(operand, builder.getInt64Ty()),
                                     to.llvm);
  case Op::OpConvertUToPtr:
    return builder.CreateIntToPtr(builder.CreateZExtOrTrunc(operand, builder.getInt64Ty()),
                                  to.llvm);
  case Op::OpPtrCastToGeneric:
    if (!is_named_storage(from) && !points_to(from, spv::StorageClass::Input))
      return reader.fail(i, 0, "is in a storage class that cannot be cast to Generic");
    if (!points_to(to, spv::StorageClass::Generic))
      return reader.fail(i, "its result is not in the storage class Generic");
    return builder.CreateAddrSpaceCast(operand, to.llvm);
  case Op::OpSizeOf:
    return size_of_pointee(reader, i, from);
  default:
    break;
  }
  if (!points_to(from, spv::StorageClass::Generic))
    return reader.fail(i, 0, "is not in the storage class Generic");
  if (i.opcode == Op::OpGenericPtrMemSemantics)
    return memory_semantics(reader, i);
  if (!is_named_storage(to))
    return reader.fail(i, "a generic pointer cannot be cast to the result's storage class");
  if (i.opcode == Op::OpGenericCastToPtrExplicit)
    return cast_explicitly(reader, i);
  return builder.CreateAddrSpaceCast(operand, to.llvm);
}

} // namespace lockstep::compiler::spirv
