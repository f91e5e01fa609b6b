#include "front_ends/spirv/kernels.h"

#include "front_ends/common/kernel_info_from_ir.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr uint64_t largest_parameter = 65'536; // bytes of one argument by value

Result<void> check_kernel(Reader &reader, const FunctionBody &body) {
  const Type &type = *reader.find_function_type(body.head->result);
  if (!type.element->is(TypeKind::void_type))
    return error_at(*body.head, "a kernel must return void");
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    const Type &parameter = *type.members[i];
    const uint64_t size = parameter.is(TypeKind::pointer) &&
                                  parameter.storage_class == spv::StorageClass::Function &&
                                  parameter.element
                              ? parameter.element->size
                              : parameter.size;
    if (parameter.is(TypeKind::sampled_image) || size > largest_parameter)
      return error_at(*body.parameters[i],
                      fmt::format("a kernel cannot have an argument of this type: {}, {} bytes",
                                  description(parameter), size));
  }
  return {};
}

// Khronos's translator makes an entry point of each enqueued block. No host can set its argument, a
// generic pointer; OpEnqueueKernel makes a kernel of its own (queues.cpp).
bool is_block(Reader &reader, const FunctionBody &body) {
  const Type &type = *reader.find_function_type(body.head->result);
  const bool may_enqueue =
      llvm::any_of(reader.source().declared_capabilities, [](const Instruction *capability) {
        return capability->operands[0] == static_cast<uint32_t>(spv::Capability::DeviceEnqueue);
      });
  return may_enqueue && !type.members.empty() && type.members[0]->is(TypeKind::pointer) &&
         type.members[0]->storage_class == spv::StorageClass::Generic;
}

// ---- execution modes ----

llvm::Metadata *number(llvm::LLVMContext &context, uint32_t value) {
  return llvm::ConstantAsMetadata::get(
      llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
}

struct NumbersMode {
  spv::ExecutionMode mode;
  const char *metadata;
  unsigned count;
  bool are_ids;
};

constexpr NumbersMode numbers_modes[] = {
    {spv::ExecutionMode::LocalSize, "reqd_work_group_size", 3, false},
    {spv::ExecutionMode::LocalSizeId, "reqd_work_group_size", 3, true},
    {spv::ExecutionMode::LocalSizeHint, "work_group_size_hint", 3, false},
    {spv::ExecutionMode::LocalSizeHintId, "work_group_size_hint", 3, true},
    {spv::ExecutionMode::SubgroupSize, "intel_reqd_sub_group_size", 1, false},
    {spv::ExecutionMode::SubgroupsPerWorkgroup, sub_group_count_metadata, 1, false},
    {spv::ExecutionMode::SubgroupsPerWorkgroupId, sub_group_count_metadata, 1, true},
};

Result<uint32_t> mode_number(const Reader &reader, const Instruction &mode, size_t operand,
                             bool is_id) {
  const uint32_t word = mode.operands[operand];
  if (!is_id)
    return word;
  auto *constant = reader.find_constant<llvm::ConstantInt>(word);
  if (!constant)
    return error_at(mode, operand + 1, "is not an integer constant");
  return static_cast<uint32_t>(constant->getZExtValue());
}

Result<void> add_numbers(Reader &reader, const Instruction &mode, const NumbersMode &form,
                         llvm::Function &kernel) {
  if (mode.operands.size() < form.count + 2)
    return error_at(mode, fmt::format("the execution mode needs {} operands", form.count));
  std::vector<llvm::Metadata *> numbers;
  for (size_t i = 2; i < form.count + 2; ++i) {
    auto value = mode_number(reader, mode, i, form.are_ids);
    LOCKSTEP_TRY(value);
    numbers.push_back(number(reader.context(), *value));
  }
  kernel.setMetadata(form.metadata, llvm::MDNode::get(reader.context(), numbers));
  return {};
}

// The literal of VecTypeHint: the component in the low half, the number of components above.
llvm::Type *hinted_type(llvm::LLVMContext &context, uint32_t literal) {
  llvm::Type *types[] = {llvm::Type::getInt8Ty(context),  llvm::Type::getInt16Ty(context),
                         llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context),
                         llvm::Type::getHalfTy(context),  llvm::Type::getFloatTy(context),
                         llvm::Type::getDoubleTy(context)};
  const uint32_t component = literal & 0xffff, count = literal >> 16;
  if (component >= std::size(types) || count > 16)
    return nullptr;
  return count > 1 ? llvm::FixedVectorType::get(types[component], count) : types[component];
}

void add_type_hint(Reader &reader, const Instruction &mode, llvm::Function &kernel) {
  llvm::Type *type =
      mode.operands.size() > 2 ? hinted_type(reader.context(), mode.operands[2]) : nullptr;
  if (!type)
    return;
  kernel.setMetadata("vec_type_hint",
                     llvm::MDNode::get(reader.context(),
                                       {llvm::ConstantAsMetadata::get(llvm::UndefValue::get(type)),
                                        number(reader.context(), 1)}));
}

Result<void> add_mode(Reader &reader, const Instruction &mode, llvm::Function &kernel) {
  const auto kind = static_cast<spv::ExecutionMode>(mode.operands[1]);
  for (const NumbersMode &form : numbers_modes)
    if (form.mode == kind)
      return add_numbers(reader, mode, form, kernel);
  if (kind == spv::ExecutionMode::VecTypeHint)
    add_type_hint(reader, mode, kernel);
  return {}; // the other modes allow more than we use
}

// ---- arguments ----

struct ArgumentTexts {
  std::vector<llvm::Metadata *> address_spaces, accesses, types, qualifiers, names;
};

const char *access_of(spv::AccessQualifier access) {
  switch (access) {
  case spv::AccessQualifier::WriteOnly:
    return "write_only";
  case spv::AccessQualifier::ReadWrite:
    return "read_write";
  default:
    return "read_only";
  }
}

void add_argument(Reader &reader, const Type &type, const llvm::Argument &argument,
                  ArgumentTexts &texts) {
  llvm::LLVMContext &context = reader.context();
  uint32_t space = 0;
  const char *access = "none";
  if (type.is(TypeKind::pointer) && !argument.hasByValAttr())
    space = type.llvm->getPointerAddressSpace();
  if (type.is(TypeKind::image) || type.is(TypeKind::pipe)) {
    space = 1;
    access = access_of(type.is(TypeKind::image) ? type.image.access : type.access);
  }
  texts.address_spaces.push_back(number(context, space));
  texts.accesses.push_back(llvm::MDString::get(context, access));
  texts.types.push_back(llvm::MDString::get(context, description(type)));
  texts.qualifiers.push_back(llvm::MDString::get(context, type.is(TypeKind::pipe) ? "pipe" : ""));
  texts.names.push_back(llvm::MDString::get(context, argument.getName()));
}

void add_arguments(Reader &reader, const Type &type, llvm::Function &kernel) {
  ArgumentTexts texts;
  for (const llvm::Argument &argument : kernel.args())
    add_argument(reader, *type.members[argument.getArgNo()], argument, texts);
  auto set = [&](const char *name, llvm::ArrayRef<llvm::Metadata *> operands) {
    kernel.setMetadata(name, llvm::MDNode::get(reader.context(), operands));
  };
  set("kernel_arg_addr_space", texts.address_spaces);
  set("kernel_arg_access_qual", texts.accesses);
  set("kernel_arg_type", texts.types);
  set("kernel_arg_base_type", texts.types);
  set("kernel_arg_type_qual", texts.qualifiers);
  set("kernel_arg_name", texts.names);
  // clGetKernelArgInfo is for sources only (OpenCL API 5.7.4); the texts are for reports.
  set(no_arg_info_metadata, {});
}

Result<void> finish_kernel(Reader &reader, const FunctionBody &body, llvm::Function &kernel) {
  kernel.setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  kernel.setLinkage(llvm::GlobalValue::ExternalLinkage);
  kernel.addFnAttr(llvm::Attribute::NoRecurse);
  add_arguments(reader, *reader.find_function_type(body.head->result), kernel);
  auto modes = reader.source().execution_modes.find(body.head->result);
  if (modes != reader.source().execution_modes.end())
    for (const Instruction *mode : modes->second)
      LOCKSTEP_TRY(add_mode(reader, *mode, kernel));
  return {};
}

// A kernel that calls the function, for a function with several names.
llvm::Function &wrapper(Reader &reader, llvm::Function &function, const std::string &name) {
  auto *kernel = llvm::Function::Create(function.getFunctionType(),
                                        llvm::GlobalValue::ExternalLinkage, name, reader.target());
  kernel->copyAttributesFrom(&function);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(reader.context(), "", kernel));
  std::vector<llvm::Value *> arguments;
  for (llvm::Argument &argument : kernel->args()) {
    argument.setName(function.getArg(argument.getArgNo())->getName());
    arguments.push_back(&argument);
  }
  llvm::CallInst *call = builder.CreateCall(&function, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes());
  builder.CreateRetVoid();
  return *kernel;
}

} // namespace

Result<void> make_kernels(Reader &reader, const FunctionBody &body, llvm::Function &function) {
  if (is_block(reader, body))
    return {};
  LOCKSTEP_TRY(check_kernel(reader, body));
  const auto names = reader.kernel_names(body.head->result);
  for (const std::string &name : names)
    if (llvm::GlobalValue *other = reader.target().getNamedValue(name);
        other && other != &function) {
      if (!other->hasLocalLinkage())
        return error_at(*body.head, fmt::format("the kernel's name '{}' is defined twice", name));
      other->setName(name + ".function");
    }
  if (names.size() == 1) {
    function.setName(names.front());
    return finish_kernel(reader, body, function);
  }
  for (const std::string &name : names)
    LOCKSTEP_TRY(finish_kernel(reader, body, wrapper(reader, function, name)));
  return {};
}

} // namespace lockstep::compiler::spirv
