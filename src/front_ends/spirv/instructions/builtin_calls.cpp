#include "front_ends/spirv/instructions/builtin_calls.h"

#include "abi/address_spaces.h"
#include "device_lib/device_library.h"

#include "llvm/Demangle/Demangle.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// As clang declares narrow integers: the caller extends them to a register.
void extend_arguments(llvm::CallInst &call, llvm::ArrayRef<BuiltinArgument> arguments) {
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ParameterType &type = arguments[i].type;
    if (type.pointer || type.lanes > 1)
      continue;
    if (type.element == "c" || type.element == "s")
      call.addParamAttr(i, llvm::Attribute::SExt);
    if (type.element == "h" || type.element == "t" || type.element == "b")
      call.addParamAttr(i, llvm::Attribute::ZExt);
  }
}

std::string mangled_name_of(std::string_view name, llvm::ArrayRef<BuiltinArgument> arguments) {
  std::vector<ParameterType> types;
  for (const BuiltinArgument &argument : arguments)
    types.push_back(argument.type);
  return mangled_name(name, types);
}

} // namespace

BuiltinArgument argument(llvm::Value *value, bool is_signed) {
  return {value, type_of(value->getType(), is_signed).value_or(scalar("?"))};
}

BuiltinArgument operand_argument(FunctionReader &reader, const Instruction &i, size_t operand,
                                 bool is_signed) {
  return argument(reader.value(i, operand), is_signed);
}

BuiltinArgument pointer_argument(llvm::Value *pointer, const ParameterType &pointee,
                                 unsigned qualifiers) {
  return {pointer, pointer_to(pointee, pointer->getType()->getPointerAddressSpace(), qualifiers)};
}

Result<llvm::Value *> call_checked(FunctionReader &reader, const Instruction &i,
                                   std::string_view name, llvm::Type *result,
                                   llvm::ArrayRef<BuiltinArgument> arguments, bool is_convergent) {
  const std::string mangled = mangled_name_of(name, arguments);
  if (!is_builtin_function(mangled))
    return reader.fail(i, fmt::format("OpenCL C has no function {} for operands of these types",
                                      llvm::demangle(mangled)));
  llvm::CallInst *call = reader.call_builtin(name, result, arguments, is_convergent);
  extend_arguments(*call, arguments);
  return call;
}

llvm::Value *call_plain(FunctionReader &reader, std::string_view name, llvm::Type *result,
                        llvm::ArrayRef<llvm::Value *> arguments, bool is_convergent) {
  std::vector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  return reader.call_function(llvm::StringRef(name), llvm::FunctionType::get(result, types, false),
                              arguments, is_convergent);
}

llvm::Value *to_width(Builder &builder, llvm::Value *integer, unsigned bits) {
  return builder.CreateZExtOrTrunc(integer, integer->getType()->getWithNewBitWidth(bits));
}

llvm::Value *bool_to_int(Builder &builder, llvm::Value *predicate) {
  return builder.CreateZExt(predicate, predicate->getType()->getWithNewBitWidth(32));
}

llvm::Value *int_to_bool(Builder &builder, llvm::Value *integer) {
  return builder.CreateICmpNE(integer, llvm::Constant::getNullValue(integer->getType()));
}

llvm::Value *to_generic(Builder &builder, llvm::Value *pointer) {
  if (pointer->getType()->getPointerAddressSpace() == generic_space)
    return pointer;
  return builder.CreateAddrSpaceCast(pointer,
                                     llvm::PointerType::get(pointer->getContext(), generic_space));
}

Result<llvm::Value *>
by_components(Builder &builder, llvm::ArrayRef<llvm::Value *> operands,
              llvm::function_ref<Result<llvm::Value *>(llvm::ArrayRef<llvm::Value *>)> operation) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (!vector)
    return operation(operands);
  llvm::Value *result = nullptr;
  for (unsigned component = 0; component < vector->getNumElements(); ++component) {
    std::vector<llvm::Value *> components;
    for (llvm::Value *operand : operands)
      components.push_back(builder.CreateExtractElement(operand, component));
    auto value = operation(components);
    LOCKSTEP_TRY(value);
    if (!result)
      result = llvm::PoisonValue::get(
          llvm::FixedVectorType::get((*value)->getType(), vector->getNumElements()));
    result = builder.CreateInsertElement(result, *value, component);
  }
  return result;
}

} // namespace lockstep::compiler::spirv
