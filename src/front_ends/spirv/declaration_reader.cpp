#include "front_ends/spirv/declaration_reader.h"

#include "front_ends/spirv/built_in_variables.h"
#include "front_ends/spirv/check_operands.h"
#include "front_ends/spirv/decorations.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using LinkageTypes = llvm::GlobalValue::LinkageTypes;

constexpr auto link_once_odr = static_cast<spv::LinkageType>(2); // SPV_KHR_linkonce_odr

LinkageTypes llvm_linkage(llvm::StringRef name, spv::LinkageType type) {
  if (name.empty())
    return llvm::GlobalValue::InternalLinkage;
  return type == link_once_odr ? llvm::GlobalValue::LinkOnceODRLinkage
                               : llvm::GlobalValue::ExternalLinkage;
}

// A name of a local symbol. It must not look like a function of the device library.
llvm::StringRef local_name(llvm::StringRef name) {
  return is_reserved_name(name) || name.starts_with("_") ? "" : name;
}

// LLVM passes large values in their parts.
constexpr uint64_t most_passed_leaves = 65'536;

bool is_variable_class(spv::StorageClass storage) {
  return storage == spv::StorageClass::CrossWorkgroup ||
         storage == spv::StorageClass::UniformConstant || storage == spv::StorageClass::Workgroup ||
         storage == spv::StorageClass::Input;
}

} // namespace

bool is_reserved_name(llvm::StringRef name) {
  return name.starts_with("llvm.") || name.starts_with("lockstep.") ||
         name.starts_with("__lockstep_");
}

Result<DeclarationReader::Linkage>
DeclarationReader::linkage_of(const Instruction &instruction) const {
  const Decoration *decoration =
      reader_.source().find_decoration(instruction.result, spv::Decoration::LinkageAttributes);
  if (!decoration)
    return Linkage{};
  Instruction words = *decoration->instruction;
  words.operands = decoration->operands;
  const auto name = string_operand(words, 0);
  if (!name || words.operands.size() != string_words(*name) + 1)
    return error_at(*decoration->instruction, "LinkageAttributes needs a name and a linkage type");
  if (name->empty() || is_reserved_name(*name))
    return error_at(*decoration->instruction,
                    fmt::format("programs cannot define or import the name '{}'", name->str()));
  const auto type = static_cast<spv::LinkageType>(words.operands.back());
  if (static_cast<unsigned>(type) > 2)
    return error_at(*decoration->instruction, "the linkage type is unknown");
  return Linkage{*name, type};
}

// ---- variables ----

Result<void> DeclarationReader::read_built_in(const Instruction &instruction, const Type &type) {
  const Decoration *decoration =
      reader_.source().find_decoration(instruction.result, spv::Decoration::BuiltIn);
  if (!decoration || decoration->operands.empty())
    return error_at(instruction, "input variables of kernels need the decoration BuiltIn");
  const auto built_in = static_cast<spv::BuiltIn>(decoration->operands[0]);
  LOCKSTEP_TRY(check_built_in(instruction, built_in, *type.element));
  reader_.built_ins_[instruction.result] = built_in;
  reader_.globals_[instruction.result] = {nullptr, &type, &instruction};
  return {};
}

// A sampler is not in memory. The address of the variable is the number of the sampler, and OpLoad
// makes the sampler of it.
Result<void> DeclarationReader::read_sampler(const Instruction &instruction, const Type &type) {
  if (instruction.operands.size() < 2)
    return error_at(instruction, "a variable of the type sampler needs an initial value");
  const TypedValue *sampler = reader_.find_global(instruction.operands[1]);
  if (!sampler || !sampler->type->is(TypeKind::sampler) ||
      !llvm::isa_and_nonnull<llvm::ConstantInt>(sampler->value))
    return error_at(instruction, 2, "is not a constant sampler");
  auto *address =
      llvm::ConstantExpr::getIntToPtr(llvm::cast<llvm::Constant>(sampler->value), type.llvm);
  reader_.globals_[instruction.result] = {address, &type, &instruction};
  return {};
}

Result<llvm::Constant *> DeclarationReader::initializer_of(const Instruction &instruction,
                                                           const Type &type, bool is_import) const {
  if (instruction.operands.size() > 1) {
    auto *constant = reader_.find_constant(instruction.operands[1]);
    // LLVM's back end writes the null of an integer as the initial value of a pointer.
    if (constant && constant->isNullValue() && type.element->is(TypeKind::pointer))
      constant = llvm::Constant::getNullValue(type.element->llvm);
    if (!constant || constant->getType() != type.element->llvm || is_import)
      return error_at(instruction, 2, "is not a constant of the variable's type");
    return constant;
  }
  if (is_import)
    return nullptr;
  if (type.storage_class == spv::StorageClass::Workgroup)
    return llvm::UndefValue::get(type.element->llvm);
  if (!type.element->has_null)
    return error_at(instruction, fmt::format("a variable of the type {} needs an initial value",
                                             description(*type.element)));
  return llvm::Constant::getNullValue(type.element->llvm);
}

Result<void> DeclarationReader::read_variable(const Instruction &instruction) {
  auto found = check_result_type(reader_, instruction);
  LOCKSTEP_TRY(found);
  const Type &type = **found;
  if (instruction.operands[0] != static_cast<uint32_t>(type.storage_class) ||
      !is_variable_class(type.storage_class))
    return error_at(instruction, 1, "is not a storage class that such a variable can have");
  if (type.element && type.element->is(TypeKind::sampler) &&
      type.storage_class == spv::StorageClass::UniformConstant)
    return read_sampler(instruction, type);
  if (!type.element || type.element->size == 0)
    return error_at(instruction, "the variable's type has no size");
  if (type.storage_class == spv::StorageClass::Input)
    return read_built_in(instruction, type);
  auto linkage = linkage_of(instruction);
  LOCKSTEP_TRY(linkage);
  const bool is_import = linkage->type == spv::LinkageType::Import && !linkage->name.empty();
  auto initializer = initializer_of(instruction, type, is_import);
  LOCKSTEP_TRY(initializer);
  if (!linkage->name.empty() && reader_.target().getNamedValue(linkage->name))
    return error_at(instruction,
                    fmt::format("the name '{}' is defined or imported twice", linkage->name.str()));
  const bool is_constant =
      type.storage_class == spv::StorageClass::UniformConstant ||
      reader_.source().has_decoration(instruction.result, spv::Decoration::Constant);
  const llvm::StringRef name = linkage->name.empty()
                                   ? local_name(reader_.source().name_of(instruction.result))
                                   : linkage->name;
  auto *variable = new llvm::GlobalVariable(
      reader_.target(), type.element->llvm, is_constant, llvm_linkage(linkage->name, linkage->type),
      *initializer, name, nullptr, llvm::GlobalValue::NotThreadLocal,
      *address_space(type.storage_class));
  variable->setAlignment(
      alignment_of(reader_.source(), instruction.result)
          .value_or(reader_.target().getDataLayout().getABITypeAlign(type.element->llvm)));
  reader_.globals_[instruction.result] = {variable, &type, &instruction};
  return {};
}

// ---- functions ----

Result<const Type *> DeclarationReader::function_type(const FunctionBody &body) const {
  const Instruction &head = *body.head;
  const Type *type = reader_.find_type(head.operands[1]);
  if (!type || !type->is(TypeKind::function))
    return error_at(head, 2, "is not a function type");
  if (type->element->id != head.result_type)
    return error_at(head, "its result type differs from that of its function type");
  if (type->members.size() != body.parameters.size())
    return error_at(head, fmt::format("it has {} parameters; its type has {}",
                                      body.parameters.size(), type->members.size()));
  if (type->element->leaves > most_passed_leaves)
    return error_at(head, "the function returns a value of more than 65536 scalars and vectors");
  for (size_t i = 0; i < body.parameters.size(); ++i)
    if (body.parameters[i]->result_type != type->members[i]->id ||
        type->members[i]->leaves > most_passed_leaves)
      return error_at(*body.parameters[i],
                      fmt::format("the type of the function has another parameter {}, or one of "
                                  "more than 65536 scalars and vectors",
                                  i + 1));
  return type;
}

Result<llvm::Function *> DeclarationReader::create_symbol(const FunctionBody &body,
                                                          const Type &type,
                                                          const Linkage &linkage) {
  const bool is_import = linkage.type == spv::LinkageType::Import && !linkage.name.empty();
  if (is_import != body.blocks.empty())
    return error_at(*body.head, is_import ? "an imported function has a body"
                                          : "a function without a body must be an import");
  auto *llvm_type = llvm::cast<llvm::FunctionType>(type.llvm);
  const bool is_kernel_name = reader_.used_kernel_names_.contains(linkage.name.str());
  llvm::GlobalValue *other =
      linkage.name.empty() ? nullptr : reader_.target().getNamedValue(linkage.name);
  if (other && is_import) // several declarations of one function
    if (auto *function = llvm::dyn_cast<llvm::Function>(other);
        function && function->getFunctionType() == llvm_type && function->isDeclaration())
      return function;
  if (other)
    return error_at(*body.head,
                    fmt::format("the name '{}' is defined or imported twice", linkage.name.str()));
  // A translator of Khronos exports a kernel's code under the kernel's own name.
  const bool is_local = linkage.name.empty() || is_kernel_name;
  const llvm::StringRef name =
      is_local ? local_name(reader_.source().name_of(body.head->result)) : linkage.name;
  return llvm::Function::Create(llvm_type, llvm_linkage(is_local ? "" : name, linkage.type), name,
                                reader_.target());
}

Result<llvm::Function *> DeclarationReader::create(const FunctionBody &body, const Type &type) {
  auto linkage = linkage_of(*body.head);
  LOCKSTEP_TRY(linkage);
  auto function = create_symbol(body, type, *linkage);
  LOCKSTEP_TRY(function);
  (*function)->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  (*function)->addFnAttr(llvm::Attribute::Convergent);
  (*function)->addFnAttr(llvm::Attribute::NoUnwind);
  const auto control = static_cast<spv::FunctionControlMask>(body.head->operands[0]);
  if ((control & spv::FunctionControlMask::DontInline) != spv::FunctionControlMask::MaskNone)
    (*function)->addFnAttr(llvm::Attribute::NoInline);
  else if ((control & spv::FunctionControlMask::Inline) != spv::FunctionControlMask::MaskNone)
    (*function)->addFnAttr(llvm::Attribute::InlineHint);
  return function;
}

Result<void> DeclarationReader::declare(const FunctionBody &body) {
  auto type = function_type(body);
  LOCKSTEP_TRY(type);
  auto function = create(body, **type);
  LOCKSTEP_TRY(function);
  reader_.functions_[body.head->result] = *function;
  reader_.function_types_[body.head->result] = *type;
  return add_parameter_attributes(body, **function);
}

Result<void> DeclarationReader::add_parameter_attributes(const FunctionBody &body,
                                                         llvm::Function &function) {
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const Instruction &parameter = *body.parameters[i];
    llvm::Argument &argument = *function.getArg(static_cast<unsigned>(i));
    argument.setName(reader_.source().name_of(parameter.result));
    for (const Decoration &decoration : reader_.source().decorations_of(parameter.result))
      LOCKSTEP_TRY(add_parameter_attribute(parameter, decoration, argument));
  }
  return {};
}

Result<void> DeclarationReader::add_parameter_attribute(const Instruction &parameter,
                                                        const Decoration &decoration,
                                                        llvm::Argument &argument) {
  const Type &type = *reader_.find_type(parameter.result_type);
  const bool is_pointer = type.is(TypeKind::pointer);
  const uint32_t value = decoration.operands.empty() ? 0 : decoration.operands[0];
  if (decoration.kind == spv::Decoration::Restrict && is_pointer)
    argument.addAttr(llvm::Attribute::NoAlias);
  if (decoration.kind != spv::Decoration::FuncParamAttr || decoration.operands.empty())
    return {};
  switch (static_cast<spv::FunctionParameterAttribute>(value)) {
  case spv::FunctionParameterAttribute::NoAlias:
    if (is_pointer)
      argument.addAttr(llvm::Attribute::NoAlias);
    break;
  case spv::FunctionParameterAttribute::ByVal: {
    if (!is_pointer || type.storage_class != spv::StorageClass::Function || !type.element ||
        type.element->size == 0)
      return error_at(parameter, "ByVal needs a pointer to a type with a size in the storage class "
                                 "Function");
    argument.addAttr(llvm::Attribute::getWithByValType(reader_.context(), type.element->llvm));
    const auto natural = reader_.target().getDataLayout().getABITypeAlign(type.element->llvm);
    argument.addAttr(llvm::Attribute::getWithAlignment(
        reader_.context(), alignment_of(reader_.source(), parameter.result).value_or(natural)));
    break;
  }
  default: // the others are hints, or say what types and storage classes say
    break;
  }
  return {};
}

} // namespace lockstep::compiler::spirv
