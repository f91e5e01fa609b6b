#include "front_ends/common/kernel_info_from_ir.h"

#include "kernel_ir/limits.h"
#include "kernel_ir/source_facts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler {
namespace {

enum AddressSpace : unsigned { private_space, global_space, constant_space, local_space };

// Alignment of the memory of a `local void *`: the largest of any OpenCL C type (double16, long16).
constexpr uint32_t largest_alignment = 128;

uint64_t metadata_number(const llvm::MDNode *node, unsigned index) {
  if (!node || index >= node->getNumOperands())
    return 0;
  auto *constant = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(index));
  return constant ? constant->getZExtValue() : 0;
}

std::string metadata_string(const llvm::MDNode *node, unsigned index) {
  if (!node || index >= node->getNumOperands())
    return {};
  auto *string = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(index).get());
  return string ? string->getString().str() : std::string();
}

std::array<uint32_t, 3> metadata_triple(const llvm::MDNode *node) {
  std::array<uint32_t, 3> triple{};
  for (unsigned i = 0; i < 3; ++i)
    triple[i] = static_cast<uint32_t>(metadata_number(node, i));
  return triple;
}

std::string address_space_name(uint64_t space) {
  constexpr const char *names[] = {"private", "global", "constant", "local"};
  return space < std::size(names) ? names[space] : "global";
}

// "The argument type name as it was declared with any whitespace removed", without qualifiers
// (OpenCL API 5.7.4). clang already writes `uint` for `unsigned int`, but keeps the address space
// of the pointee in a pointer to a pointer.
std::string type_name_of(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  constexpr std::string_view address_spaces[] = {"__global", "__constant", "__local", "__private",
                                                 "__generic"};
  std::string name;
  for (llvm::StringRef word : words)
    if (std::ranges::find(address_spaces, std::string_view(word)) == std::end(address_spaces))
      name += word;
  return name;
}

Result<ArgKind> pointer_kind(unsigned address_space) {
  switch (address_space) {
  case global_space:
    return ArgKind::global_pointer;
  case constant_space:
    return ArgKind::constant_pointer;
  case local_space:
    return ArgKind::local_pointer;
  default:
    return Error{ErrorKind::build_failure,
                 "is a pointer to private memory, which a kernel cannot be given"};
  }
}

// Kind, size and alignment; the other members of KernelArg are text from metadata.
Result<KernelArg> argument_layout(const llvm::Argument &argument, const llvm::DataLayout &layout) {
  KernelArg result;
  llvm::Type *type = argument.getType();
  if (argument.hasByValAttr()) {
    result.size = static_cast<uint32_t>(layout.getTypeAllocSize(argument.getParamByValType()));
    result.alignment = static_cast<uint32_t>(argument.getParamAlign().valueOrOne().value());
    return result;
  }
  if (auto *pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
    auto kind = pointer_kind(pointer->getAddressSpace());
    LOCKSTEP_TRY(kind);
    result.kind = *kind;
    result.size = result.alignment = 8;
    if (result.kind == ArgKind::local_pointer) {
      auto alignment = argument.getParamAlign();
      result.pointee_alignment =
          alignment ? static_cast<uint32_t>(alignment->value()) : largest_alignment;
    }
    return result;
  }
  if (auto *opaque = llvm::dyn_cast<llvm::TargetExtType>(type)) {
    if (opaque->getName() == "spirv.Image" || opaque->getName() == "spirv.Sampler") {
      result.kind = opaque->getName() == "spirv.Image" ? ArgKind::image : ArgKind::sampler;
      result.size = result.alignment = 8; // the handle; a sampler's number needs less
      return result;
    }
    if (opaque->getName() == "spirv.Queue") {
      result.kind = ArgKind::queue;
      result.size = result.alignment = 8;
      return result;
    }
    if (opaque->getName() == "spirv.Pipe") {
      result.kind = ArgKind::pipe;
      result.size = result.alignment = 8;
      return result;
    }
    return Error{
        ErrorKind::unsupported,
        fmt::format("has the type {}, which this device does not have", opaque->getName().str())};
  }
  result.size = static_cast<uint32_t>(layout.getTypeAllocSize(type));
  result.alignment = static_cast<uint32_t>(layout.getABITypeAlign(type).value());
  return result;
}

// The argument block holds the address of a block's captures; their size is known when the block is
// enqueued.
Result<KernelArg> block_layout() {
  KernelArg result;
  result.kind = ArgKind::block;
  result.size = result.alignment = 8;
  return result;
}

void add_argument_text(KernelArg &argument, const llvm::Function &kernel, unsigned index) {
  argument.name = metadata_string(kernel.getMetadata("kernel_arg_name"), index);
  argument.type_name = type_name_of(metadata_string(kernel.getMetadata("kernel_arg_type"), index));
  argument.access = metadata_string(kernel.getMetadata("kernel_arg_access_qual"), index);
  argument.address_space =
      address_space_name(metadata_number(kernel.getMetadata("kernel_arg_addr_space"), index));
  std::string qualifiers = metadata_string(kernel.getMetadata("kernel_arg_type_qual"), index);
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(qualifiers, words);
  for (llvm::StringRef word : words)
    argument.type_qualifiers.push_back(word.str());
}

Result<void> add_arguments(KernelInfo &info, const llvm::Function &kernel) {
  const llvm::MDNode *types = kernel.getMetadata("kernel_arg_type");
  if (types && types->getNumOperands() != kernel.arg_size())
    return Error{
        ErrorKind::build_failure,
        fmt::format("the kernel {} has an argument of a type without size, which cannot be set",
                    info.name)};
  uint32_t offset = 0;
  for (const llvm::Argument &argument : kernel.args()) {
    const bool is_block = kernel.hasFnAttribute(block_attribute) && argument.getArgNo() == 0;
    auto layout = is_block ? block_layout() : argument_layout(argument, kernel.getDataLayout());
    if (!layout)
      return Error{layout.error().kind,
                   fmt::format("argument {} of the kernel {} {}", argument.getArgNo(), info.name,
                               layout.error().message)};
    KernelArg &result = info.args.emplace_back(std::move(*layout));
    add_argument_text(result, kernel, argument.getArgNo());
    result.offset = static_cast<uint32_t>(llvm::alignTo(offset, result.alignment));
    offset = result.offset + result.size;
  }
  info.argument_block_size = static_cast<uint32_t>(llvm::alignTo(offset, 8));
  info.has_arg_info = kernel.getMetadata("kernel_arg_name") != nullptr &&
                      kernel.getMetadata(no_arg_info_metadata) == nullptr;
  return {};
}

// vec_type_hint has the operands {undef of the type, is signed}.
std::string vector_type_name(const llvm::MDNode *node) {
  if (!node || node->getNumOperands() < 2)
    return {};
  auto *constant = llvm::dyn_cast<llvm::ConstantAsMetadata>(node->getOperand(0).get());
  if (!constant)
    return {};
  llvm::Type *type = constant->getType();
  llvm::Type *element = type->getScalarType();
  std::string name;
  if (element->isIntegerTy()) {
    constexpr std::pair<unsigned, const char *> names[] = {
        {8, "char"}, {16, "short"}, {32, "int"}, {64, "long"}};
    auto found = std::ranges::find(names, element->getIntegerBitWidth(),
                                   &std::pair<unsigned, const char *>::first);
    if (found == std::end(names))
      return {};
    name = (metadata_number(node, 1) ? "" : "u") + std::string(found->second);
  } else {
    name = element->isDoubleTy() ? "double" : element->isHalfTy() ? "half" : "float";
  }
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += std::to_string(vector->getNumElements());
  return name;
}

using FunctionSet = llvm::SetVector<const llvm::Function *>;

// The kernel and every function with a body that it can call.
FunctionSet reachable_functions(const llvm::Function &kernel) {
  FunctionSet reached;
  reached.insert(&kernel);
  for (size_t next = 0; next < reached.size(); ++next)
    for (const llvm::Instruction &instruction : llvm::instructions(*reached[next]))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (const llvm::Function *callee = call->getCalledFunction();
            callee && !callee->isDeclaration())
          reached.insert(callee);
  return reached;
}

// True if one of the functions uses the variable, directly or through a constant expression.
bool is_used_in(const llvm::GlobalVariable &variable, const FunctionSet &functions) {
  llvm::SmallVector<const llvm::User *> pending(variable.users());
  llvm::SmallPtrSet<const llvm::User *, 16> seen;
  while (!pending.empty()) {
    const llvm::User *user = pending.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (functions.contains(instruction->getFunction()))
        return true;
    } else {
      pending.append(user->user_begin(), user->user_end());
    }
  }
  return false;
}

uint64_t local_memory_size(const llvm::Module &module, const FunctionSet &functions) {
  const llvm::DataLayout &layout = module.getDataLayout();
  uint64_t size = 0;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == local_space && is_used_in(variable, functions))
      size = llvm::alignTo(size, layout.getPreferredAlign(&variable)) +
             layout.getTypeAllocSize(variable.getValueType());
  return size;
}

// Adds the scratch memory of work-group collectives, which follows the kernel's own local memory
// (place-group-scratch).
uint64_t add_group_scratch(uint64_t size, const FunctionSet &functions) {
  for (const llvm::Function *function : functions)
    for (const llvm::Instruction &instruction : llvm::instructions(*function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration())
        continue;
      // Collectives: all functions named work_group_... except the barrier, and reservations in
      // pipes.
      llvm::StringRef name = callee->getName();
      if (name.starts_with("__work_group_reserve_") ||
          (name.starts_with("_Z") && name.ltrim("_Z0123456789").starts_with("work_group_") &&
           !name.contains("work_group_barrier")))
        return llvm::alignTo(size, group_scratch_alignment) + group_scratch_size;
    }
  return size;
}

uint64_t private_memory_size(const FunctionSet &functions) {
  uint64_t size = 0;
  for (const llvm::Function *function : functions)
    for (const llvm::Instruction &instruction : llvm::instructions(*function))
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        if (auto bytes = variable->getAllocationSize(function->getDataLayout()))
          size = llvm::alignTo(size, variable->getAlign()) + bytes->getFixedValue();
  return size;
}

// True if a function is called that only a launch on behalf of a command queue can execute.
bool may_enqueue(const FunctionSet &functions) {
  constexpr llvm::StringLiteral names[] = {"enqueue_marker",    "get_default_queue",
                                           "create_user_event", "retain_event",
                                           "release_event",     "set_user_event_status",
                                           "is_valid_event",    "capture_event_profiling_info"};
  auto enqueues = [&](const llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->isDeclaration())
      return false;
    llvm::StringRef name = callee->getName();
    return name.starts_with("__enqueue_kernel_") || name.starts_with("__get_kernel_") ||
           (name.starts_with("_Z") && llvm::any_of(names, [&](llvm::StringRef own) {
              return name.ltrim("_Z0123456789").starts_with(own);
            }));
  };
  return llvm::any_of(functions, [&](const llvm::Function *function) {
    return llvm::any_of(llvm::instructions(*function), enqueues);
  });
}

// True if the const of an argument's pointee may be cast away. A function that is called by its
// address may be any of the module.
bool may_cast_const(const llvm::Module &module, const FunctionSet &functions) {
  const auto casts = [](const llvm::Function &function) {
    return function.hasFnAttribute(const_casts_attribute);
  };
  const auto calls_address = [](const llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && call->isIndirectCall();
  };
  if (module.getModuleFlag(const_casts_flag) ||
      llvm::any_of(functions, [&](const llvm::Function *each) { return casts(*each); }))
    return true;
  return llvm::any_of(module, casts) &&
         llvm::any_of(functions, [&](const llvm::Function *function) {
           return llvm::any_of(llvm::instructions(*function), calls_address);
         });
}

// Says that the kernel may write through its arguments, also those that point to const.
void count_as_written(std::vector<KernelArg> &arguments) {
  for (KernelArg &argument : arguments)
    if (argument.kind == ArgKind::global_pointer &&
        llvm::is_contained(argument.type_qualifiers, "const"))
      argument.type_qualifiers.emplace_back(may_be_written);
}

bool has_debug_info(const llvm::Function &kernel) {
  const llvm::DISubprogram *subprogram = kernel.getSubprogram();
  return subprogram && subprogram->getUnit() &&
         subprogram->getUnit()->getEmissionKind() != llvm::DICompileUnit::NoDebug;
}

Result<KernelInfo> kernel_info(const llvm::Module &module, const llvm::Function &kernel) {
  KernelInfo info;
  info.name = kernel.getName().str();
  LOCKSTEP_TRY(add_arguments(info, kernel));
  info.reqd_work_group_size = metadata_triple(kernel.getMetadata("reqd_work_group_size"));
  info.work_group_size_hint = metadata_triple(kernel.getMetadata("work_group_size_hint"));
  info.reqd_sub_group_size =
      static_cast<uint32_t>(metadata_number(kernel.getMetadata("intel_reqd_sub_group_size"), 0));
  if (info.reqd_sub_group_size > 64 || (info.reqd_sub_group_size & (info.reqd_sub_group_size - 1)))
    return Error{ErrorKind::build_failure,
                 fmt::format("kernel {} requires a sub-group size of {}; it can be 1, 2, 4, 8, 16, "
                             "32 or 64 (CL_DEVICE_SUB_GROUP_SIZES_INTEL)",
                             info.name, info.reqd_sub_group_size)};
  info.reqd_sub_group_count =
      static_cast<uint32_t>(metadata_number(kernel.getMetadata(sub_group_count_metadata), 0));
  info.vec_type_hint = vector_type_name(kernel.getMetadata("vec_type_hint"));
  info.attributes = metadata_string(kernel.getMetadata(attributes_metadata), 0);
  info.uniform_work_group_size = kernel.getFnAttribute("uniform-work-group-size").getValueAsBool();
  FunctionSet functions = reachable_functions(kernel);
  info.local_memory_size = add_group_scratch(local_memory_size(module, functions), functions);
  info.private_memory_size = private_memory_size(functions);
  info.enqueues = may_enqueue(functions);
  if (may_cast_const(module, functions))
    count_as_written(info.args);
  info.explains_failures = llvm::any_of(
      functions, [](const llvm::Function *function) { return has_debug_info(*function); });
  if (const auto *flag = llvm::mdconst::extract_or_null<llvm::ConstantInt>(
          module.getModuleFlag(denorms_are_zero_flag)))
    info.denorms_are_zero = flag->isOne();
  return info;
}

Result<std::vector<KernelInfo>> infos_of(const llvm::Module &module, bool blocks) {
  std::vector<KernelInfo> infos;
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL || function.isDeclaration() ||
        function.hasFnAttribute(block_attribute) != blocks)
      continue;
    auto info = kernel_info(module, function);
    LOCKSTEP_TRY(info);
    infos.push_back(std::move(*info));
  }
  return infos;
}

} // namespace

Result<std::vector<KernelInfo>> kernel_infos(const llvm::Module &module) {
  return infos_of(module, false);
}

Result<std::vector<KernelInfo>> block_infos(const llvm::Module &module) {
  return infos_of(module, true);
}

uint64_t global_variable_size(const llvm::Module &module) {
  uint64_t size = 0;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == global_space)
      size += module.getDataLayout().getTypeAllocSize(variable.getValueType());
  return size;
}

} // namespace lockstep::compiler
