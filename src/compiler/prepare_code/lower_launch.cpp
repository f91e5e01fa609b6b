// Binds the kernel to the launch ABI (abi/launch_abi.h).
//
// Requires: the function of one work-group, as work-item-loops produces it: kernel arguments are
// parameters, group ids and sizes are primitives.
// Ensures: the module defines `void @lockstep.workgroup(ptr launch, ptr group)`, in the coroutine
// form `void @lockstep.sub_group(ptr launch, ptr group, ptr frame, i64 sub_group)`. The old
// function is inlined there. Arguments are loaded from the argument block, primitives from
// LaunchInfo and GroupInfo; printf calls the host. Loads and stores carry alias scopes by address
// space: local memory, global memory and the launch structs never overlap, which x86's flat address
// space does not express.
//
// Position: before the final optimization, which benefits from all of that. Local variables stay
// addrspace(3) globals until place-local-memory, because distinct globals are the best alias
// information.
#include "compiler/prepare_code/passes.h"

#include "abi/launch_abi.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/limits.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace lockstep::compiler {

namespace {

// Where a primitive's value is: `offset` bytes into the launch or group struct, plus 8 for each
// dimension.
struct Place {
  Primitive primitive;
  bool in_group;
  uint64_t offset;
};
constexpr Place places[] = {
    {Primitive::group_id, true, offsetof(GroupInfo, group_id)},
    {Primitive::local_size, true, offsetof(GroupInfo, local_size)},
    {Primitive::enqueued_local_size, false, offsetof(LaunchInfo, local_size)},
    {Primitive::global_size, false, offsetof(LaunchInfo, global_size)},
    {Primitive::global_offset, false, offsetof(LaunchInfo, global_offset)},
    {Primitive::num_groups, false, offsetof(LaunchInfo, num_groups)},
};

class Lowering {
public:
  Lowering(llvm::Function &kernel, const KernelInfo &info)
      : kernel_(kernel), info_(info), context_(kernel.getContext()), builder_(context_) {}

  void run() {
    make_entry();
    inline_kernel();
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(*entry_)))
      if (auto primitive = called_primitive(instruction))
        lower(llvm::cast<llvm::CallInst>(instruction), *primitive);
    add_alias_scopes();
    name_dimensions_as_launch();
  }

private:
  void make_entry();
  void inline_kernel();
  llvm::Value *load_argument(unsigned index);
  llvm::Value *load_word(llvm::Value *base, uint64_t offset, llvm::Type *type,
                         const llvm::Twine &name);
  void lower(llvm::CallInst &call, Primitive primitive);
  void lower_group_copy(llvm::CallInst &copy);
  void lower_group_copy_lines(llvm::CallInst &copy);
  llvm::Value *lower_check(llvm::CallInst &call, Primitive primitive);
  void add_alias_scopes();
  void name_dimensions_as_launch();

  llvm::Function &kernel_;
  const KernelInfo &info_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  llvm::Function *entry_ = nullptr;
  llvm::Value *launch_ = nullptr, *group_ = nullptr;
  llvm::CallInst *call_ = nullptr;
};

void Lowering::make_entry() {
  llvm::Type *pointer = builder_.getPtrTy();
  llvm::SmallVector<llvm::Type *, 4> parameters = {pointer, pointer};
  bool resumable = is_resumable(kernel_);
  if (resumable) // also the frame, and the sub-group's number
    parameters.append({pointer, builder_.getInt64Ty()});
  auto *type = llvm::FunctionType::get(builder_.getVoidTy(), parameters, false);
  entry_ =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                             resumable ? sub_group_symbol : workgroup_symbol, kernel_.getParent());
  llvm::AttrBuilder attributes(context_, kernel_.getAttributes().getFnAttrs());
  entry_->addFnAttrs(attributes);
  entry_->addFnAttr(llvm::Attribute::NoUnwind);
  entry_->setDSOLocal(true);
  for (unsigned index : {0u, 1u}) {
    entry_->addParamAttr(index, llvm::Attribute::NoAlias);
    entry_->addParamAttr(index, llvm::Attribute::ReadOnly);
    entry_->addDereferenceableParamAttr(index, index == 0 ? sizeof(LaunchInfo) : sizeof(GroupInfo));
  }
  launch_ = entry_->getArg(0);
  launch_->setName("launch");
  group_ = entry_->getArg(1);
  group_->setName("group");
  if (resumable) {
    entry_->getArg(2)->setName("frame");
    entry_->getArg(3)->setName("sub.group");
  }
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", entry_));
  llvm::SmallVector<llvm::Value *> arguments;
  for (unsigned index = 0; index != kernel_.arg_size(); ++index)
    arguments.push_back(load_argument(index));
  call_ = builder_.CreateCall(&kernel_, arguments);
  if (llvm::DISubprogram *subprogram = kernel_.getSubprogram())
    call_->setDebugLoc(llvm::DILocation::get(context_, subprogram->getLine(), 0, subprogram));
  builder_.CreateRetVoid();
}

llvm::Value *Lowering::load_word(llvm::Value *base, uint64_t offset, llvm::Type *type,
                                 const llvm::Twine &name) {
  auto *load = builder_.CreateAlignedLoad(
      type, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset),
      llvm::Align(offset % 8 == 0 ? 8 : 4), name);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return load;
}

llvm::Value *Lowering::load_argument(unsigned index) {
  llvm::Argument &argument = *kernel_.getArg(index);
  const KernelArg &place = info_.args[index];
  llvm::Value *block = load_word(launch_, offsetof(LaunchInfo, args), builder_.getPtrTy(), "args");
  llvm::Value *address =
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), block, place.offset);
  if (place.kind == ArgKind::local_pointer) {
    llvm::Value *memory =
        load_word(group_, offsetof(GroupInfo, local_memory), builder_.getPtrTy(3), "local.memory");
    llvm::Value *offset = builder_.CreateLoad(builder_.getInt64Ty(), address);
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), memory, offset, argument.getName());
  }
  // A struct by value is read in place.
  if (place.kind == ArgKind::value && argument.getType()->isPointerTy())
    return address;
  auto *load = builder_.CreateAlignedLoad(argument.getType(), address, llvm::Align(place.alignment),
                                          argument.getName());
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  // For an image's descriptor: lets reads of it move out of branches and loops.
  if (const uint64_t bytes = argument.getDereferenceableBytes()) {
    auto number = [&](uint64_t value) {
      return llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(builder_.getInt64(value)));
    };
    load->setMetadata(llvm::LLVMContext::MD_dereferenceable, number(bytes));
    load->setMetadata(llvm::LLVMContext::MD_align,
                      number(argument.getParamAlign().valueOrOne().value()));
  }
  return load;
}

void Lowering::inline_kernel() {
  kernel_.setLinkage(llvm::GlobalValue::InternalLinkage);
  llvm::InlineFunctionInfo info;
  bool done = llvm::InlineFunction(*call_, info).isSuccess();
  assert(done && "the kernel is one plain function");
  (void)done;
  kernel_.eraseFromParent();
}

void Lowering::lower(llvm::CallInst &call, Primitive primitive) {
  builder_.SetInsertPoint(&call);
  llvm::Value *result = nullptr;
  if (primitive == Primitive::work_dim) {
    result = load_word(launch_, offsetof(LaunchInfo, work_dim), builder_.getInt32Ty(), "work.dim");
  } else if (primitive == Primitive::local_argument_bytes) {
    result = builder_.CreateZExt(
        load_word(launch_, offsetof(LaunchInfo, local_argument_bytes), builder_.getInt32Ty(), ""),
        call.getType());
  } else if (primitive == Primitive::group_copy) {
    lower_group_copy(call);
  } else if (primitive == Primitive::group_copy_lines) {
    lower_group_copy_lines(call);
  } else if (is_check(primitive) || primitive == Primitive::check_extent ||
             primitive == Primitive::check_object || primitive == Primitive::check_written ||
             primitive == Primitive::check_footprint) {
    result = lower_check(call, primitive);
  } else if (primitive == Primitive::device_enqueue) {
    auto function = entry_->getParent()->getOrInsertFunction(
        "lockstep_device_enqueue", call.getType(), launch_->getType(), group_->getType(),
        call.getArgOperand(0)->getType(), call.getArgOperand(1)->getType());
    auto *made = builder_.CreateCall(
        function, {launch_, group_, call.getArgOperand(0), call.getArgOperand(1)});
    made->setDoesNotThrow();
    result = made;
  } else if (primitive == Primitive::printf) {
    return; // stays a call; the JIT resolves the symbol (device_printf.h)
  } else if (primitive == Primitive::seen || primitive == Primitive::ends_with ||
             primitive == Primitive::before_lock || primitive == Primitive::suspend ||
             primitive == Primitive::watched) {
    return; // lowered by make-coroutine
  } else if (primitive == Primitive::sub_group) {
    call.replaceAllUsesWith(entry_->getArg(3));
  } else if (primitive == Primitive::all_lanes) { // final here: nothing is interleaved any more
    call.replaceAllUsesWith(expand_all_lanes(builder_, call));
  } else {
    for (const Place &place : places) {
      if (place.primitive != primitive)
        continue;
      llvm::Value *base = place.in_group ? group_ : launch_;
      llvm::Value *dimension = call.getArgOperand(0);
      if (const auto constant = constant_dimension(call); constant && lane_dimension(*entry_) != 0)
        dimension = builder_.getInt32(launch_dimension(*entry_, *constant));
      // The dimension of an inactive lane may have any value.
      if (!llvm::isa<llvm::ConstantInt>(dimension))
        dimension = builder_.CreateBinaryIntrinsic(
            llvm::Intrinsic::umin, builder_.CreateFreeze(dimension), builder_.getInt32(2));
      dimension = builder_.CreateZExt(dimension, builder_.getInt64Ty());
      base = builder_.CreateInBoundsGEP(builder_.getInt64Ty(), base, dimension);
      result = load_word(base, place.offset, call.getType(), "");
    }
    // Keeps the front end's facts about the value, e.g. that a local size is not 0.
    if (auto range = call.getRange(); range && result)
      llvm::cast<llvm::LoadInst>(result)->setMetadata(
          llvm::LLVMContext::MD_range,
          llvm::MDBuilder(context_).createRange(range->getLower(), range->getUpper()));
  }
  if (result) {
    result->takeName(&call);
    call.replaceAllUsesWith(result);
  }
  call.eraseFromParent();
}

// The host's functions (check_calls.h) take launch, group and site first, then the primitive's
// operands. One function handles atomics of one lane and of several lanes.
llvm::Value *Lowering::lower_check(llvm::CallInst &call, Primitive primitive) {
  llvm::Value *zero = builder_.getInt64(0), *one = builder_.getInt64(1);
  auto argument = [&call](unsigned index) { return call.getArgOperand(index); };
  auto address = [&](unsigned index) {
    return builder_.CreateAddrSpaceCast(argument(index), builder_.getPtrTy());
  };
  const char *name = "lockstep_check_atomic";
  llvm::SmallVector<llvm::Value *> arguments = {launch_, group_};
  if (primitive == Primitive::check_access) {
    name = "lockstep_check_access";
    arguments.append({argument(3), address(0), argument(1), argument(2), argument(4), argument(5)});
  } else if (primitive == Primitive::check_outside) {
    name = "lockstep_check_outside";
    arguments.append({argument(3), address(0), argument(1), argument(2), argument(4), argument(5)});
  } else if (primitive == Primitive::check_extent) {
    name = "lockstep_check_extent";
    arguments = {launch_, argument(0), argument(1)};
  } else if (primitive == Primitive::check_object) {
    name = "lockstep_check_object";
    arguments = {launch_, argument(0), address(1)};
  } else if (primitive == Primitive::check_written) {
    name = "lockstep_check_written";
    arguments = {launch_, address(0), argument(1)};
  } else if (primitive == Primitive::check_footprint) {
    name = "lockstep_check_footprint";
    arguments = {launch_, argument(0), argument(1), argument(2), address(3)};
  } else if (primitive == Primitive::check_fence) {
    name = "lockstep_check_fence";
    arguments.append({argument(1), argument(0), argument(2), argument(3)});
  } else if (primitive == Primitive::check_choice) {
    name = "lockstep_check_choice";
    arguments.append({argument(2), argument(0), argument(1), argument(3), argument(4)});
  } else if (primitive == Primitive::check_copy) {
    name = "lockstep_check_copy";
    arguments.append({argument(7), address(0)});
    for (unsigned index : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 9u})
      arguments.push_back(argument(index));
  } else if (primitive == Primitive::check_packets) {
    name = "lockstep_check_packets";
    arguments.append({argument(3), address(0), argument(1), argument(2), argument(4), argument(5)});
  } else if (primitive == Primitive::check_load) {
    arguments.append({argument(2), address(0), argument(1), argument(3), argument(4), zero, zero});
  } else {
    arguments.append(
        {argument(1), address(0), one, argument(2), argument(3), argument(4), argument(5)});
  }
  llvm::SmallVector<llvm::Type *> types;
  for (llvm::Value *value : arguments)
    types.push_back(value->getType());
  auto callee = entry_->getParent()->getOrInsertFunction(
      name, llvm::FunctionType::get(call.getType(), types, false));
  llvm::CallInst *made = builder_.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  if (call.doesNotAccessMemory()) { // the result does not change while the kernel runs
    made->setDoesNotAccessMemory();
    made->addFnAttr(llvm::Attribute::WillReturn);
    made->getCalledFunction()->addFnAttr(llvm::Attribute::Speculatable);
  }
  return made;
}

// Copies of contiguous elements become memcpy; strided ones call the host, which has a loop for
// each element size.
void Lowering::lower_group_copy(llvm::CallInst &copy) {
  llvm::Value *to = copy.getArgOperand(0), *from = copy.getArgOperand(1),
              *count = copy.getArgOperand(2);
  auto *to_stride = llvm::dyn_cast<llvm::ConstantInt>(copy.getArgOperand(3));
  auto *from_stride = llvm::dyn_cast<llvm::ConstantInt>(copy.getArgOperand(4));
  llvm::Value *size = copy.getArgOperand(5);
  if (to_stride && from_stride && to_stride->isOne() && from_stride->isOne()) {
    builder_.CreateMemCpy(to, llvm::MaybeAlign(), from, llvm::MaybeAlign(),
                          builder_.CreateNUWMul(count, size));
    return;
  }
  llvm::Type *word = builder_.getInt64Ty(), *pointer = builder_.getPtrTy();
  auto function = entry_->getParent()->getOrInsertFunction(
      "lockstep_strided_copy", builder_.getVoidTy(), pointer, pointer, word, word, word, word);
  builder_.CreateCall(function, {builder_.CreateAddrSpaceCast(to, pointer),
                                 builder_.CreateAddrSpaceCast(from, pointer), count,
                                 copy.getArgOperand(3), copy.getArgOperand(4), size});
}

// Calls the host, which loops over lines and planes.
void Lowering::lower_group_copy_lines(llvm::CallInst &copy) {
  llvm::Type *word = builder_.getInt64Ty(), *pointer = builder_.getPtrTy();
  llvm::SmallVector<llvm::Type *> types(copy.arg_size(), word);
  llvm::SmallVector<llvm::Value *> arguments(copy.args());
  for (unsigned i = 0; i != 2; ++i) {
    types[i] = pointer;
    arguments[i] = builder_.CreateAddrSpaceCast(arguments[i], pointer);
  }
  auto function = entry_->getParent()->getOrInsertFunction(
      "lockstep_copy_lines",
      llvm::FunctionType::get(builder_.getVoidTy(), types, /*isVarArg=*/false));
  builder_.CreateCall(function, arguments);
}

void Lowering::add_alias_scopes() {
  llvm::MDBuilder metadata(context_);
  llvm::MDNode *domain = metadata.createAnonymousAliasScopeDomain("lockstep.address.spaces");
  auto scope = [&](const char *name) {
    return llvm::MDNode::get(context_, {metadata.createAnonymousAliasScope(domain, name)});
  };
  llvm::MDNode *global = scope("global"), *local = scope("local");
  for (llvm::Instruction &instruction : llvm::instructions(*entry_)) {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer)
      continue;
    unsigned space = pointer->getType()->getPointerAddressSpace();
    llvm::MDNode *own = space == 1 || space == 2 ? global : space == 3 ? local : nullptr;
    llvm::MDNode *other = own == global ? local : global;
    if (!own)
      continue;
    auto add = [&](unsigned kind, llvm::MDNode *node) {
      instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), node));
    };
    add(llvm::LLVMContext::MD_alias_scope, own);
    add(llvm::LLVMContext::MD_noalias, other);
  }
}

// Reverses choose-lane-dimension in the attributes.
void Lowering::name_dimensions_as_launch() {
  const uint32_t dimension = lane_dimension(*entry_);
  if (dimension == 0)
    return;
  set_first_dimension(*entry_, launch_dimension(*entry_, first_dimension(*entry_)));
  rename_dimensions_of_attributes(*entry_, dimension);
  entry_->removeFnAttr("lockstep-lane-dimension");
}

} // namespace

llvm::PreservedAnalyses LowerLaunchPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  Lowering(*kernel_function(module), kernel_).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
