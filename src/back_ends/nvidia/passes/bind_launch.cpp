// Gives the kernel the parameters that CUDA launches it with.
//
// Requires: the kernel after retarget.
// Ensures: the kernel is a `ptx_kernel` with its name in the program. A local pointer is an i32: the
// place of its memory in @lockstep_shared, the dynamic shared memory. Behind the arguments follow
// hidden parameters: what the kernel loads at constant places of the descriptors of images, and what
// CUDA does not know: launch parameters that general code needs (PtxVariant), the address of the
// program-scope variables, and the printf buffer. A hidden parameter that the kernel does not use
// does not exist. LaunchBinding lists all parameters.
//
// In persistent code (PtxVariant), the number of the group that the block runs takes the place of
// CUDA's block number, and one parameter has the attribute "lockstep-pool". If its groups may have
// different sizes, the kernel begins with a call of lockstep_nvidia_group_size(x, y, z).
//
// Position: before lower-gpu-primitives, which defines the launch parameters of plain code.
#include "back_ends/nvidia/passes/passes.h"

#include "abi/address_spaces.h"
#include "abi/image_descriptor.h"
#include "abi/printf_format.h"
#include "back_ends/nvidia/target/nvidia_target.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

#include <map>

namespace lockstep::compiler {

namespace {

using Kind = PtxParameterKind;

constexpr uint32_t max_threads = 1024; // of a CUDA block
// The limit of arguments and words of descriptors. A kernel has 4352 bytes, and there are other
// parameters.
constexpr uint64_t most_parameter_bytes = 4000;

// The launch parameters that general code reads, by primitive.
std::optional<Kind> hidden_kind(Primitive primitive, PtxVariant variant) {
  if (primitive == Primitive::work_dim)
    return Kind::work_dim;
  if (variant == PtxVariant::plain)
    return std::nullopt;
  switch (primitive) {
  case Primitive::group_id:
    return Kind::group_base;
  case Primitive::num_groups:
    return Kind::num_groups;
  case Primitive::enqueued_local_size:
    return Kind::enqueued_local_size;
  case Primitive::global_size:
    return Kind::global_size;
  case Primitive::global_offset:
    return Kind::global_offset;
  default:
    return std::nullopt;
  }
}

bool is_program_variable(const llvm::GlobalVariable &variable) {
  return variable.getName().starts_with("lockstep.variable.");
}

class Binding {
public:
  Binding(llvm::Function &kernel, const KernelInfo &info, PtxVariant variant,
          LaunchBinding &binding)
      : old_(kernel), module_(*kernel.getParent()), info_(info), variant_(variant),
        binding_(binding), builder_(kernel.getContext()) {}
  void run();

private:
  using Hidden = std::pair<Kind, uint32_t>;
  // Loads of the same part of an image's descriptor (abi/image_descriptor.h).
  struct DescriptorWord {
    uint32_t argument, offset;
    llvm::Type *type;
    llvm::SmallVector<llvm::LoadInst *> loads;
    unsigned number = 0; // of the parameter
  };

  bool is_image(const llvm::Argument &argument) const {
    return argument.getArgNo() < info_.args.size() &&
           info_.args[argument.getArgNo()].kind == ArgKind::image;
  }
  Kind kind_of(const llvm::Argument &argument) const;
  void collect();
  void collect_words(llvm::Argument &image);
  void limit_words();
  bool collect_word(llvm::LoadInst &load, uint32_t argument, uint64_t offset);
  void collect(const llvm::CallInst &call);
  void make_kernel();
  void bind_arguments();
  llvm::Value *parameter(Kind kind, uint32_t index);
  llvm::Value *by_dimension(Kind kind, llvm::Value *dimension);
  void lower(llvm::CallInst &call);
  void lower_printf(llvm::CallInst &call);
  llvm::Constant *string_table(llvm::StringRef format, size_t &count);
  void number_groups();
  void bind_variables();
  void set_attributes();
  void fail(const llvm::Twine &message) {
    module_.getContext().diagnose(llvm::DiagnosticInfoGeneric(message, llvm::DS_Error));
  }

  llvm::Function &old_;
  llvm::Module &module_;
  const KernelInfo &info_;
  const PtxVariant variant_;
  LaunchBinding &binding_;
  llvm::IRBuilder<> builder_;
  std::map<Hidden, unsigned> hidden_; // number of the parameter
  std::vector<DescriptorWord> words_;
  llvm::SmallSet<unsigned, 8> descriptors_; // arguments whose descriptors must be in memory
  llvm::SmallVector<llvm::CallInst *> calls_, group_ids_;
  llvm::Function *kernel_ = nullptr;
};

void Binding::collect(const llvm::CallInst &call) {
  const Primitive primitive = *called_primitive(call);
  if (primitive == Primitive::printf)
    hidden_[{Kind::printf_buffer, 0}];
  const auto kind = hidden_kind(primitive, variant_);
  if (!kind)
    return;
  const auto dimension = constant_dimension(call);
  for (uint32_t index = 0; index != 3; ++index)
    if (*kind == Kind::work_dim ? index == 0 : dimension.value_or(index) == index)
      hidden_[{*kind, index}];
}

bool Binding::collect_word(llvm::LoadInst &load, uint32_t argument, uint64_t offset) {
  const llvm::TypeSize size = module_.getDataLayout().getTypeStoreSize(load.getType());
  if (!load.isSimple() || size.isScalable() || offset + size > sizeof(ImageDescriptor))
    return false;
  auto word = llvm::find_if(words_, [&](const DescriptorWord &known) {
    return known.argument == argument && known.offset == offset && known.type == load.getType();
  });
  if (word == words_.end())
    word = words_.insert(word, {argument, static_cast<uint32_t>(offset), load.getType(), {}});
  word->loads.push_back(&load);
  return true;
}

// A launch passes sizes and pitches as parameters, which threads read without latency.
void Binding::collect_words(llvm::Argument &image) {
  llvm::SmallVector<std::pair<llvm::Value *, uint64_t>> open = {{&image, 0}};
  while (!open.empty()) {
    const auto [address, offset] = open.pop_back_val();
    for (llvm::User *user : address->users()) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (load && collect_word(*load, image.getArgNo(), offset))
        continue;
      auto *sum = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      llvm::APInt distance(64, offset);
      if (sum && sum->accumulateConstantOffset(module_.getDataLayout(), distance))
        open.emplace_back(sum, distance.getZExtValue());
      else
        descriptors_.insert(image.getArgNo());
    }
  }
}

// A kernel with very many images reads their descriptors from memory.
void Binding::limit_words() {
  const llvm::DataLayout &layout = module_.getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Argument &argument : old_.args())
    bytes += layout.getTypeAllocSize(argument.hasByValAttr() ? argument.getParamByValType()
                                                             : argument.getType());
  for (const DescriptorWord &word : words_)
    bytes += layout.getTypeAllocSize(word.type);
  if (bytes <= most_parameter_bytes)
    return;
  for (const DescriptorWord &word : words_)
    descriptors_.insert(word.argument);
  words_.clear();
}

void Binding::collect() {
  for (llvm::Argument &argument : old_.args())
    if (is_image(argument))
      collect_words(argument);
  limit_words();
  for (llvm::Function &function : module_)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto primitive = called_primitive(instruction)) {
        auto *call = llvm::cast<llvm::CallInst>(&instruction);
        if (is_persistent(variant_) && *primitive == Primitive::group_id)
          group_ids_.push_back(call);
        if (*primitive != Primitive::printf && !hidden_kind(*primitive, variant_))
          continue;
        calls_.push_back(call);
        collect(*call);
      }
  if (is_persistent(variant_))
    hidden_[{Kind::group_pool, 0}];
  const bool has_sizes = variant_ == PtxVariant::persistent_of_sizes;
  if (!group_ids_.empty() || has_sizes)
    for (uint32_t dimension : {0u, 1u})
      hidden_[{Kind::part_groups, dimension}];
  if (has_sizes)
    for (uint32_t dimension : {0u, 1u, 2u}) {
      hidden_[{Kind::enqueued_local_size, dimension}];
      hidden_[{Kind::global_size, dimension}];
    }
  for (const llvm::GlobalVariable &variable : module_.globals())
    if (is_program_variable(variable) && !variable.use_empty())
      hidden_[{Kind::variables, 0}];
}

llvm::Type *type_of(Kind kind, llvm::IRBuilderBase &builder) {
  if (kind == Kind::variables || kind == Kind::printf_buffer || kind == Kind::group_pool)
    return builder.getPtrTy(global_space);
  return builder.getIntNTy(kind == Kind::work_dim ? 32 : 64);
}

bool is_local_pointer(const llvm::Argument &argument) {
  auto *pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
  return pointer && pointer->getAddressSpace() == local_space;
}

Kind Binding::kind_of(const llvm::Argument &argument) const {
  if (is_local_pointer(argument))
    return Kind::local_offset;
  if (is_image(argument))
    return descriptors_.contains(argument.getArgNo()) ? Kind::image : Kind::unused;
  return argument.getType()->isPointerTy() && !argument.hasByValAttr() ? Kind::pointer
                                                                       : Kind::value;
}

void Binding::make_kernel() {
  llvm::SmallVector<llvm::Type *> types;
  const llvm::DataLayout &layout = module_.getDataLayout();
  for (const llvm::Argument &argument : old_.args()) {
    types.push_back(is_local_pointer(argument) ? builder_.getInt32Ty() : argument.getType());
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : types.back();
    binding_.parameters.push_back({kind_of(argument), argument.getArgNo(),
                                   static_cast<uint32_t>(layout.getTypeAllocSize(type))});
  }
  llvm::sort(words_, [](const DescriptorWord &a, const DescriptorWord &b) {
    return std::pair(a.argument, a.offset) < std::pair(b.argument, b.offset);
  });
  for (DescriptorWord &word : words_) {
    word.number = static_cast<unsigned>(types.size());
    types.push_back(word.type);
    binding_.parameters.push_back({Kind::image_word, word.argument,
                                   static_cast<uint32_t>(layout.getTypeStoreSize(word.type)),
                                   word.offset});
  }
  for (auto &[hidden, number] : hidden_) {
    number = static_cast<unsigned>(types.size());
    types.push_back(type_of(hidden.first, builder_));
    binding_.parameters.push_back({hidden.first, hidden.second,
                                   static_cast<uint32_t>(layout.getTypeAllocSize(types.back()))});
  }
  kernel_ = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), types, false),
                                   llvm::GlobalValue::ExternalLinkage, 0, "", &module_);
  kernel_->copyAttributesFrom(&old_);
  kernel_->setCallingConv(llvm::CallingConv::PTX_Kernel);
  kernel_->splice(kernel_->begin(), &old_);
}

void Binding::bind_arguments() {
  builder_.SetInsertPoint(&*kernel_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (llvm::Argument &before : old_.args()) {
    llvm::Argument &argument = *kernel_->getArg(before.getArgNo());
    const Kind kind = kind_of(before);
    if (kind == Kind::local_offset || kind == Kind::unused)
      kernel_->setAttributes(
          kernel_->getAttributes().removeParamAttributes(kernel_->getContext(), before.getArgNo()));
    if (kind != Kind::local_offset) {
      before.replaceAllUsesWith(&argument);
      argument.takeName(&before);
      continue;
    }
    auto *bytes = llvm::ArrayType::get(builder_.getInt8Ty(), 0);
    llvm::GlobalVariable *shared = module_.getGlobalVariable("lockstep_shared");
    if (!shared) {
      shared = new llvm::GlobalVariable(
          module_, bytes, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage, nullptr,
          "lockstep_shared", nullptr, llvm::GlobalValue::NotThreadLocal, local_space);
      shared->setAlignment(llvm::Align(16));
    }
    argument.setName(before.getName() + ".offset");
    before.replaceAllUsesWith(
        builder_.CreateInBoundsGEP(builder_.getInt8Ty(), shared, &argument, before.getName()));
  }
  for (const DescriptorWord &word : words_)
    for (llvm::LoadInst *load : word.loads) {
      load->replaceAllUsesWith(kernel_->getArg(word.number));
      load->eraseFromParent();
    }
}

llvm::Value *Binding::parameter(Kind kind, uint32_t index) {
  return kernel_->getArg(hidden_.at({kind, index}));
}

llvm::Value *Binding::by_dimension(Kind kind, llvm::Value *dimension) {
  if (kind == Kind::work_dim)
    return parameter(kind, 0);
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(dimension))
    return parameter(kind, static_cast<uint32_t>(std::min<uint64_t>(2, constant->getZExtValue())));
  llvm::Value *value = parameter(kind, 2);
  for (uint32_t index : {1u, 0u})
    value = builder_.CreateSelect(builder_.CreateICmpEQ(dimension, builder_.getInt32(index)),
                                  parameter(kind, index), value);
  return value;
}

void Binding::lower(llvm::CallInst &call) {
  const Primitive primitive = *called_primitive(call);
  if (primitive == Primitive::printf) {
    lower_printf(call);
    return;
  }
  const bool is_group_id = primitive == Primitive::group_id;
  builder_.SetInsertPoint(is_group_id ? call.getNextNode() : &call);
  llvm::Value *dimension = call.arg_size() == 0 ? nullptr : call.getArgOperand(0);
  llvm::Value *value = by_dimension(*hidden_kind(primitive, variant_), dimension);
  if (is_group_id) { // CUDA's block number counts from the base on
    auto *sum = llvm::cast<llvm::Instruction>(builder_.CreateNUWAdd(value, &call));
    call.replaceUsesWithIf(sum, [&](llvm::Use &use) { return use.getUser() != sum; });
    return;
  }
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

// Says where the arguments have strings: the card copies them into the record.
llvm::Constant *Binding::string_table(llvm::StringRef format, size_t &count) {
  const std::vector<PrintfString> strings = printf_strings(format);
  count = strings.size();
  if (strings.empty())
    return llvm::ConstantPointerNull::get(builder_.getPtrTy(global_space));
  std::vector<uint32_t> words; // lockstep_printf_string
  for (const PrintfString &string : strings)
    words.insert(words.end(), {string.offset, string.limit});
  llvm::Constant *table = llvm::ConstantDataArray::get(module_.getContext(), words);
  return new llvm::GlobalVariable(module_, table->getType(), true,
                                  llvm::GlobalValue::PrivateLinkage, table, "printf_strings",
                                  nullptr, llvm::GlobalValue::NotThreadLocal, global_space);
}

// The runtime formats the text.
void Binding::lower_printf(llvm::CallInst &call) {
  llvm::StringRef text;
  if (!llvm::getConstantStringInfo(call.getArgOperand(0), text)) {
    fail("printf needs a constant format on NVIDIA devices");
    return;
  }
  auto &formats = binding_.printf_formats;
  auto found = llvm::find(formats, text);
  const auto number = static_cast<uint32_t>(found - formats.begin());
  if (found == formats.end())
    formats.push_back(text.str());
  builder_.SetInsertPoint(&call);
  auto write = module_.getOrInsertFunction("lockstep_nvidia_printf", builder_.getInt32Ty(),
                                           builder_.getPtrTy(global_space), builder_.getInt32Ty(),
                                           builder_.getPtrTy(), builder_.getInt32Ty(),
                                           builder_.getPtrTy(global_space), builder_.getInt32Ty());
  size_t count = 0;
  llvm::Constant *strings = string_table(text, count);
  call.replaceAllUsesWith(builder_.CreateCall(
      write, {parameter(Kind::printf_buffer, 0), builder_.getInt32(number), call.getArgOperand(1),
              call.getArgOperand(2), strings, builder_.getInt32(static_cast<uint32_t>(count))}));
  call.eraseFromParent();
}

// The calls of group_id remain, with another callee: lower() may add the base of the launch's part.
void Binding::number_groups() {
  if (is_persistent(variant_))
    kernel_->addParamAttr(hidden_.at({Kind::group_pool, 0}),
                          llvm::Attribute::get(kernel_->getContext(), pool_attribute));
  const bool has_sizes = variant_ == PtxVariant::persistent_of_sizes;
  if (group_ids_.empty() && !has_sizes)
    return;
  auto *word = builder_.getInt32Ty(), *wide = builder_.getInt64Ty();
  builder_.SetInsertPoint(&*kernel_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst *number =
      builder_.CreateCall(module_.getOrInsertFunction("lockstep_nvidia_current_group", word));
  auto id_of =
      module_.getOrInsertFunction("lockstep_nvidia_group_id", wide, word, word, wide, wide);
  const auto part_groups = [this](uint32_t dimension) {
    return parameter(Kind::part_groups, dimension);
  };
  if (has_sizes) { // the last group of a dimension may be smaller
    llvm::SmallVector<llvm::Value *> sizes;
    for (uint32_t dimension : {0u, 1u, 2u}) {
      llvm::Value *whole = parameter(Kind::enqueued_local_size, dimension);
      llvm::Value *id = builder_.CreateCall(
          id_of, {number, builder_.getInt32(dimension), part_groups(0), part_groups(1)});
      llvm::Value *rest = builder_.CreateSub(parameter(Kind::global_size, dimension),
                                             builder_.CreateMul(id, whole));
      sizes.push_back(builder_.CreateTrunc(
          builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, whole, rest), word));
    }
    builder_.CreateCall(
        module_.getOrInsertFunction(
            group_size_function,
            llvm::FunctionType::get(builder_.getVoidTy(), {word, word, word}, false)),
        sizes);
  }
  for (llvm::CallInst *call : group_ids_) {
    builder_.SetInsertPoint(call);
    call->replaceAllUsesWith(builder_.CreateCall(
        id_of, {number, call->getArgOperand(0), part_groups(0), part_groups(1)}));
    call->eraseFromParent();
  }
}

void Binding::bind_variables() {
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  llvm::SmallVector<llvm::Constant *> constants;
  for (llvm::GlobalVariable &variable : module_.globals())
    if (is_program_variable(variable) && !variable.use_empty()) {
      variables.push_back(&variable);
      constants.push_back(&variable);
    }
  llvm::convertUsersOfConstantsToInstructions(constants);
  builder_.SetInsertPoint(&*kernel_->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (llvm::GlobalVariable *variable : variables) {
    uint64_t number = ~uint64_t{0};
    variable->getName().rsplit('.').second.getAsInteger(10, number);
    const bool is_in_code = llvm::all_of(variable->users(), [](const llvm::User *user) {
      return llvm::isa<llvm::Instruction>(user);
    });
    if (number >= binding_.variable_offsets.size() || !is_in_code) {
      fail("the address of a program-scope variable is used in the initial value of a constant, "
           "which is not supported on NVIDIA devices");
      return;
    }
    variable->replaceAllUsesWith(builder_.CreateConstInBoundsGEP1_64(
        builder_.getInt8Ty(), parameter(Kind::variables, 0), binding_.variable_offsets[number]));
    variable->eraseFromParent();
  }
}

void Binding::set_attributes() {
  const auto size = specialized_local_size(*kernel_);
  if (size[0])
    kernel_->addFnAttr("nvvm.reqntid", llvm::utostr(size[0]) + "," + llvm::utostr(size[1]) + "," +
                                           llvm::utostr(size[2]));
  else
    kernel_->addFnAttr("nvvm.maxntid", llvm::utostr(max_threads));
}

void Binding::run() {
  collect();
  make_kernel();
  bind_arguments();
  bind_variables();
  for (llvm::CallInst *call : calls_)
    lower(*call);
  number_groups();
  set_attributes();
  old_.eraseFromParent();
  kernel_->setName(info_.name.empty() ? "kernel" : info_.name);
}

// Only the kernel has the hidden parameters, and only it can be suspended.
void inline_users_of_parameters(llvm::Module &module, PtxVariant variant,
                                llvm::ModuleAnalysisManager &analyses) {
  auto functions = out_of_line_functions_of(module);
  const bool has_printf = module.getFunction(primitive_name(Primitive::printf)) != nullptr;
  const bool must =
      is_persistent(variant) || has_printf || llvm::any_of(module.globals(), is_program_variable);
  if (functions.empty() || !must)
    return;
  for (llvm::Function *function : functions) {
    function->removeFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::AlwaysInline);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  llvm::AlwaysInlinerPass().run(module, analyses);
}

// A CPU's group has up to 4096 sub-groups, that of a GPU 32.
void shrink_group_scratch(llvm::Module &module) {
  llvm::GlobalVariable *scratch = module.getGlobalVariable("lockstep.group.scratch", true);
  if (!scratch)
    return;
  auto *type = llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()),
                                    1 + max_threads / warp_size);
  auto *smaller = new llvm::GlobalVariable(module, type, false, scratch->getLinkage(),
                                           llvm::PoisonValue::get(type), "", scratch,
                                           llvm::GlobalValue::NotThreadLocal, local_space);
  smaller->copyAttributesFrom(scratch);
  smaller->takeName(scratch);
  scratch->replaceAllUsesWith(smaller);
  scratch->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses BindLaunchPass::run(llvm::Module &module,
                                            llvm::ModuleAnalysisManager &analyses) {
  inline_users_of_parameters(module, variant_, analyses);
  shrink_group_scratch(module);
  Binding(*kernel_function(module), kernel_, variant_, binding_).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
