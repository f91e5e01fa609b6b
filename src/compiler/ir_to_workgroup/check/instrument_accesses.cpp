#include "compiler/ir_to_workgroup/check/instrument_accesses.h"

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/check/apart_accesses.h"
#include "compiler/ir_to_workgroup/check/check_sites.h"
#include "compiler/ir_to_workgroup/check/image_texels.h"
#include "compiler/ir_to_workgroup/check/note_scopes.h"
#include "compiler/ir_to_workgroup/check/parted_meetings.h"
#include "compiler/ir_to_workgroup/check/primitive_calls.h"
#include "compiler/ir_to_workgroup/check/tell_arguments.h"
#include "compiler/ir_to_workgroup/remark.h"
#include "compiler/kernel_ir/primitives.h"
#include "compiler/worker_copies.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

namespace {

constexpr char suppositions_name[] = "lockstep.check.suppositions";
constexpr unsigned global_space = 1, local_space = 3, generic_space = 4;
static_assert(static_cast<uint32_t>(AtomicOperation::minimum_of_floats) ==
              static_cast<uint32_t>(llvm::AtomicRMWInst::FMin));
// What lower-undefined has put there.
bool is_of_checker(const llvm::Instruction &instruction) {
  return instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

constexpr uint32_t local_fence = 1, global_fence = 2; // CLK_*_MEM_FENCE

bool is_shared(unsigned address_space) {
  return address_space == global_space || address_space == local_space ||
         address_space == generic_space;
}

CheckOrder order_of(llvm::AtomicOrdering order) {
  switch (order) {
  case llvm::AtomicOrdering::Acquire:
    return CheckOrder::acquire;
  case llvm::AtomicOrdering::Release:
    return CheckOrder::release;
  case llvm::AtomicOrdering::AcquireRelease:
    return CheckOrder::acq_rel;
  case llvm::AtomicOrdering::SequentiallyConsistent:
    return CheckOrder::seq_cst;
  default:
    return CheckOrder::relaxed;
  }
}

class Instrumentation {
public:
  Instrumentation(llvm::Function &function, const Uniformity &lanes, const Uniformity &group)
      : function_(function), module_(*function.getParent()), lanes_(lanes), group_(group),
        notes_(module_), sites_(module_), builder_(module_.getContext()) {}

  void run(const ApartAccesses::Analyses &analyses, uint64_t refused);

private:
  bool synchronises() const;
  ApartAccesses::Kernel shared_accesses(uint64_t refused) const;
  void add_shared(ApartAccesses::Kernel &kernel, llvm::Instruction &access, llvm::Value *pointer,
                  uint64_t size, bool writes) const;
  void say_what_is_supposed();
  void count_intervals(llvm::ArrayRef<llvm::CallInst *> operations);
  llvm::Value *step_of_barrier(llvm::CallInst &barrier);
  llvm::Value *intervals() { return builder_.CreateLoad(builder_.getInt64Ty(), passed_); }

  // Volatile accesses count as relaxed atomics.
  bool is_relaxed_at_least(const llvm::Instruction &access) const {
    return access.isAtomic() || (access.isVolatile() && !notes_.are_strict());
  }
  // True if it is of memory that others may see and could be written.
  bool is_wanted(const llvm::Value &pointer) const;
  llvm::Value *site(const llvm::Instruction &access, const llvm::Value *pointer, CheckSite site);
  llvm::Value *generic(llvm::Value *pointer) {
    return builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy(generic_space));
  }

  void visit(llvm::Instruction &instruction);
  void visit_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size, AccessKind kind,
                   SameValue same_value);
  void visit_copy(llvm::MemIntrinsic &copy);
  void visit_atomic(llvm::Instruction &access, llvm::Value *pointer, llvm::Type *type,
                    CheckSite what);
  void make_atomic(llvm::Instruction &access, llvm::Value *pointer, llvm::Type *type,
                   llvm::Value *place);
  void visit_fence(llvm::FenceInst &fence);
  void visit_sub_group_barrier(llvm::CallInst &barrier);
  void visit_group_copy(llvm::CallInst &copy);
  void tell_of_meeting(llvm::Instruction &operation, AccessKind kind, llvm::Value *condition);
  void tell_value(llvm::Instruction &note, llvm::Value *value, AccessKind kind,
                  llvm::StringRef name);
  void tell_notes(llvm::ArrayRef<llvm::CallInst *> notes);
  llvm::Value *as_word(llvm::Value *value);
  llvm::Value *from_word(llvm::Value *word, llvm::Type *type);
  SameValue same_value(const llvm::Value &value) const;

  llvm::Function &function_;
  llvm::Module &module_;
  const Uniformity &lanes_, &group_;
  SynchronisationNotes notes_;
  CheckSites sites_;
  llvm::IRBuilder<> builder_;
  bool synchronises_ = false, has_sub_group_barriers_ = false, is_narrow_ = false;
  bool has_fences_ = false; // or barriers that are some
  std::optional<ApartAccesses> apart_;
  llvm::Value *item_ = nullptr;        // linear local id
  llvm::AllocaInst *passed_ = nullptr; // Intervals of this work-item
  llvm::SmallVector<llvm::Instruction *> dead_;
};

// ---- who, and when

void Instrumentation::count_intervals(llvm::ArrayRef<llvm::CallInst *> operations) {
  builder_.SetInsertPoint(function_.getEntryBlock().begin());
  passed_ = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "intervals");
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.CreateStore(builder_.getInt64(0), passed_);
  for (llvm::CallInst *operation : operations) {
    const auto primitive = called_primitive(*operation);
    builder_.SetInsertPoint(operation->getNextNode());
    builder_.SetCurrentDebugLocation(operation->getDebugLoc());
    llvm::Value *step = is_group_copy(*primitive)         ? builder_.getInt64(Intervals::copy_step)
                        : primitive == Primitive::barrier ? step_of_barrier(*operation)
                                                          : nullptr;
    if (step)
      builder_.CreateStore(builder_.CreateAdd(intervals(), step), passed_);
    // It may be the last that happens.
    if (const auto *note = notes_.at(operation->getDebugLoc());
        note && note->copies == SynchronisationNote::waits_for_copies)
      tell_of_meeting(*operation, AccessKind::wait_for_copies, nullptr);
  }
}

llvm::Value *Instrumentation::step_of_barrier(llvm::CallInst &barrier) {
  const SynchronisationNote *note = notes_.at(barrier.getDebugLoc());
  if (note && note->copies) // orders nothing but the copy
    return builder_.getInt64(note->copies == SynchronisationNote::waits_for_copies
                                 ? Intervals::wait_step
                                 : Intervals::copy_fence_step);
  llvm::Value *flags = barrier.getArgOperand(0), *step = builder_.getInt64(0);
  uint64_t global_step = Intervals::global_step;
  if (note && note->scope == CheckScope::device)
    global_step += Intervals::device_step;
  for (auto [flag, count] :
       {std::pair(global_fence, global_step), std::pair(local_fence, Intervals::local_step)})
    step = builder_.CreateAdd(
        step, builder_.CreateSelect(
                  builder_.CreateICmpNE(builder_.CreateAnd(flags, flag), builder_.getInt32(0)),
                  builder_.getInt64(count), builder_.getInt64(0)));
  return step;
}

// Atomics that order nothing need no clocks.
bool Instrumentation::synchronises() const {
  for (const llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (llvm::isa<llvm::FenceInst>(instruction))
      return true;
    if (instruction.isAtomic() && llvm::any_of(instruction.operands(), [](const llvm::Use &use) {
          return use->getType()->isPointerTy() &&
                 is_shared(use->getType()->getPointerAddressSpace());
        })) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
      if ((load && isStrongerThanMonotonic(load->getOrdering())) ||
          (store && isStrongerThanMonotonic(store->getOrdering())) ||
          (update && isStrongerThanMonotonic(update->getOrdering())) ||
          (swap && (isStrongerThanMonotonic(swap->getSuccessOrdering()) ||
                    isStrongerThanMonotonic(swap->getFailureOrdering()))))
        return true;
    }
    if (called_primitive(instruction) == Primitive::barrier)
      if (auto *note = notes_.at(instruction.getDebugLoc());
          note && note->scope == CheckScope::device)
        return true;
  }
  return false;
}

// ---- where

constexpr llvm::StringLiteral scratch_name = "lockstep.group.scratch"; // of collectives

bool Instrumentation::is_wanted(const llvm::Value &pointer) const {
  if (!is_shared(pointer.getType()->getPointerAddressSpace()))
    return false;
  const llvm::Value *object = llvm::getUnderlyingObject(&pointer);
  if (llvm::isa<llvm::AllocaInst>(object))
    return false;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return !variable || (!variable->isConstant() && !variable->getName().starts_with(scratch_name));
}

llvm::Value *Instrumentation::site(const llvm::Instruction &access, const llvm::Value *pointer,
                                   CheckSite site) {
  site.argument = CheckSite::no_argument;
  site.synchronises = synchronises_ && is_narrow_ ? CheckSite::by_narrow_atomics
                      : synchronises_             ? CheckSite::by_atomics
                      : has_sub_group_barriers_   ? CheckSite::by_sub_group_barriers
                                                  : CheckSite::by_nothing_else;
  llvm::StringRef name;
  if (pointer) {
    site.address_space = pointer->getType()->getPointerAddressSpace();
    const llvm::Value *object = llvm::getUnderlyingObject(pointer);
    if (auto *argument = llvm::dyn_cast<llvm::Argument>(object)) {
      site.argument = static_cast<int32_t>(argument->getArgNo());
    } else if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      name = variable->getName();
      if (auto [function, local] = name.rsplit('.'); variable->getAddressSpace() == local_space)
        name = local;
    }
  }
  return sites_.add(site, access.getDebugLoc(), name);
}

SameValue Instrumentation::same_value(const llvm::Value &value) const {
  if (llvm::isa<llvm::Constant>(value))
    return SameValue::always;
  return group_.is_uniform_everywhere(value) ? SameValue::in_group : SameValue::unknown;
}

// All that the value is for, is a swap of the same word: what it expects there, and what it would make of that.
bool is_guess_of_swap(const llvm::LoadInst &load) {
  auto swaps = [&load](const llvm::Value *value) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(value);
    return swap && swap->getPointerOperand() == load.getPointerOperand();
  };
  auto is_result = [&swaps](const llvm::Value *value) {
    auto *result = llvm::dyn_cast<llvm::ExtractValueInst>(value);
    return result && swaps(result->getAggregateOperand());
  };
  bool is_expected = false;
  llvm::SmallPtrSet<const llvm::Instruction *, 16> seen = {&load};
  llvm::SmallVector<const llvm::Instruction *> open = {&load};
  while (!open.empty())
    for (const llvm::Use &use : open.pop_back_val()->uses()) {
      const auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      if (swaps(user)) {
        is_expected |= use.getOperandNo() == 1;
        continue;
      }
      if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(user);
          comparison && comparison->isEquality() &&
          llvm::any_of(comparison->operands(), is_result)) // has it been made?
        continue;
      const bool passes_on =
          llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BinaryOperator, llvm::UnaryOperator,
                    llvm::CastInst, llvm::FreezeInst, llvm::CmpInst>(user) ||
          (llvm::isa<llvm::IntrinsicInst>(user) && !user->mayReadOrWriteMemory() &&
           !user->getType()->isVoidTy());
      if (!passes_on || (llvm::isa<llvm::SelectInst>(user) && use.getOperandNo() == 0))
        return false;
      if (seen.insert(user).second)
        open.push_back(user);
    }
  return is_expected;
}

// ---- which cannot meet others

void Instrumentation::add_shared(ApartAccesses::Kernel &kernel, llvm::Instruction &access,
                                 llvm::Value *pointer, uint64_t size, bool writes) const {
  if (!is_wanted(*pointer))
    return;
  const llvm::Value *object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  unsigned space = pointer->getType()->getPointerAddressSpace();
  // However it got there, it may be of one.
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  if (objects.size() == 1)
    object = objects.front();
  if (const llvm::Argument *image = image_of_texels(*object)) {
    object = image;
    space = global_space;
  }
  if (space == generic_space && llvm::isa<llvm::Argument, llvm::GlobalVariable>(object))
    space = object->getType()->getPointerAddressSpace(); // builtins take any address
  SharedAccess shared{&access, pointer, size, writes};
  shared.is_local = space == local_space;
  shared.is_generic = space == generic_space;
  if (llvm::isa<llvm::Argument, llvm::GlobalVariable>(object) && !shared.is_generic)
    shared.object = object;
  shared.is_atomic = is_relaxed_at_least(access);
  if (const SynchronisationNote *note = notes_.at(access.getDebugLoc()); note && access.isAtomic())
    shared.is_narrow = note->scope < CheckScope::device;
  kernel.accesses.push_back(shared);
}

ApartAccesses::Kernel Instrumentation::shared_accesses(uint64_t refused) const {
  ApartAccesses::Kernel kernel(function_);
  kernel.synchronises = synchronises();
  kernel.refused = refused;
  const llvm::DataLayout &layout = module_.getDataLayout();
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (is_of_checker(instruction))
      continue;
    const auto primitive = called_primitive(instruction);
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
        add_shared(kernel, *load, load->getPointerOperand(),
                   layout.getTypeStoreSize(load->getType()), false);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      add_shared(kernel, *store, store->getPointerOperand(),
                 layout.getTypeStoreSize(store->getValueOperand()->getType()), true);
    } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      add_shared(kernel, *update, update->getPointerOperand(),
                 layout.getTypeStoreSize(update->getType()), true);
    } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      add_shared(kernel, *swap, swap->getPointerOperand(),
                 layout.getTypeStoreSize(swap->getNewValOperand()->getType()), true);
    } else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
      auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
      kernel.copies_anything |= !size;
      add_shared(kernel, *copy, copy->getRawDest(), size ? size->getZExtValue() : 0, true);
      if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
        add_shared(kernel, *copy, transfer->getRawSource(), size ? size->getZExtValue() : 0, false);
    } else if (primitive && is_group_copy(*primitive)) {
      for (unsigned operand : {0u, 1u}) {
        const llvm::Value *object =
            llvm::getUnderlyingObject(instruction.getOperand(operand), /*MaxLookup=*/0);
        (operand == 0 ? kernel.copied_to : kernel.copied_from).insert(object);
        kernel.copies[object].push_back({&instruction, operand == 0});
        kernel.copies_anything |= !llvm::isa<llvm::Argument, llvm::GlobalVariable>(object);
      }
    } else if (primitive == Primitive::barrier) {
      const SynchronisationNote *note = notes_.at(instruction.getDebugLoc());
      auto *flags = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(0));
      if (flags && flags->getZExtValue() & local_fence && !(note && note->copies))
        kernel.local_barriers.insert(&instruction);
      if (note && note->copies == SynchronisationNote::waits_for_copies)
        kernel.waits.insert(&instruction);
    }
  }
  return kernel;
}

void Instrumentation::say_what_is_supposed() {
  llvm::SmallVector<llvm::Metadata *> words;
  for (int64_t word : words_of(apart_->suppositions()))
    words.push_back(llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(module_.getContext()), word)));
  if (!words.empty())
    module_.getOrInsertNamedMetadata(suppositions_name)
        ->addOperand(llvm::MDNode::get(module_.getContext(), words));
}

// ---- plain accesses

void Instrumentation::visit_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size,
                                  AccessKind kind, SameValue same_value) {
  if (size == 0 || !is_wanted(*pointer) || apart_->has(access, pointer))
    return;
  remark(access, "checks",
         llvm::Twine("this access is compared with others: ") + apart_->why_not(access, pointer));
  CheckSite what{};
  what.size = static_cast<uint32_t>(size);
  what.kind = kind;
  what.scope = CheckScope::device;
  what.same_value = same_value;
  if (const SynchronisationNote *note = notes_.at(access.getDebugLoc()); note && access.isAtomic())
    what.scope = note->scope;
  call_primitive(builder_, Primitive::check_access, builder_.getVoidTy(),
                 {generic(pointer), builder_.getInt64(0), builder_.getInt64(1),
                  site(access, pointer, what), item_, intervals()});
}

// Those of a length that is known only when the kernel runs are not seen: no front end makes any.
void Instrumentation::visit_copy(llvm::MemIntrinsic &copy) {
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!size)
    return;
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy))
    visit_plain(copy, transfer->getRawSource(), size->getZExtValue(), AccessKind::read,
                SameValue::unknown);
  visit_plain(copy, copy.getRawDest(), size->getZExtValue(), AccessKind::write,
              llvm::isa<llvm::MemSetInst>(copy) &&
                      llvm::isa<llvm::Constant>(llvm::cast<llvm::MemSetInst>(copy).getValue())
                  ? SameValue::always
                  : SameValue::unknown);
}

// ---- atomics

llvm::Value *Instrumentation::as_word(llvm::Value *value) {
  unsigned bits = module_.getDataLayout().getTypeSizeInBits(value->getType());
  llvm::Type *integer = builder_.getIntNTy(bits);
  value = value->getType()->isPointerTy() ? builder_.CreatePtrToInt(value, integer)
                                          : builder_.CreateBitCast(value, integer);
  return builder_.CreateZExt(value, builder_.getInt64Ty());
}

llvm::Value *Instrumentation::from_word(llvm::Value *word, llvm::Type *type) {
  unsigned bits = module_.getDataLayout().getTypeSizeInBits(type);
  llvm::Value *value = builder_.CreateTrunc(word, builder_.getIntNTy(bits));
  return type->isPointerTy() ? builder_.CreateIntToPtr(value, type)
                             : builder_.CreateBitCast(value, type);
}

void Instrumentation::make_atomic(llvm::Instruction &access, llvm::Value *pointer, llvm::Type *type,
                                  llvm::Value *place) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&access);
  if (load && lanes_.is_uniform_everywhere(*pointer)) {
    llvm::Value *word =
        call_primitive(builder_, Primitive::check_load, builder_.getInt64Ty(),
                       {generic(pointer), builder_.getInt64(1), place, item_, intervals()});
    load->replaceAllUsesWith(from_word(word, type));
    return dead_.push_back(load);
  }
  llvm::Value *operand = builder_.getInt64(0), *expected = builder_.getInt64(0);
  auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access))
    operand = as_word(store->getValueOperand());
  else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    operand = as_word(update->getValOperand());
  else if (swap) {
    operand = as_word(swap->getNewValOperand());
    expected = as_word(swap->getCompareOperand());
  }
  llvm::Value *word =
      call_primitive(builder_, Primitive::check_atomic, builder_.getInt64Ty(),
                     {generic(pointer), place, item_, intervals(), operand, expected});
  if (!access.getType()->isVoidTy()) {
    llvm::Value *result = from_word(word, type);
    if (swap) {
      llvm::Value *both = llvm::PoisonValue::get(access.getType());
      both = builder_.CreateInsertValue(both, result, 0);
      result = builder_.CreateInsertValue(both, builder_.CreateICmpEQ(word, expected), 1);
    }
    access.replaceAllUsesWith(result);
  }
  dead_.push_back(&access);
}

void Instrumentation::visit_atomic(llvm::Instruction &access, llvm::Value *pointer,
                                   llvm::Type *type, CheckSite what) {
  const uint64_t size = module_.getDataLayout().getTypeStoreSize(type);
  if (!is_wanted(*pointer) || access.hasMetadata(worker_copy_metadata))
    return; // or it is of the worker's copy of what the kernel only updates, wherever the others do
  if (!synchronises_ || size > 8 || type->isVectorTy() ||
      (llvm::isa<llvm::AtomicRMWInst>(access) &&
       what.operation > AtomicOperation::minimum_of_floats))
    return visit_plain(access, pointer, size, what.kind, SameValue::unknown);
  what.size = static_cast<uint32_t>(size);
  what.scope = CheckScope::device;
  what.fences = has_fences_ ? local_fence | global_fence : 0;
  if (const SynchronisationNote *note = notes_.at(access.getDebugLoc()))
    what.scope = note->scope;
  make_atomic(access, pointer, type, site(access, pointer, what));
}

void Instrumentation::visit_fence(llvm::FenceInst &fence) {
  if (!synchronises_)
    return;
  CheckSite what{};
  what.kind = AccessKind::fence;
  what.order = order_of(fence.getOrdering());
  what.scope = CheckScope::device;
  what.fences = local_fence | global_fence;
  if (const SynchronisationNote *note = notes_.at(fence.getDebugLoc())) {
    what.scope = note->scope;
    what.fences = note->fences;
  }
  call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                 {builder_.getInt64(1), site(fence, nullptr, what), item_, intervals()});
}

void Instrumentation::visit_sub_group_barrier(llvm::CallInst &barrier) {
  builder_.SetInsertPoint(barrier.getNextNode());
  CheckSite what{};
  what.kind = AccessKind::sub_group_barrier;
  call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                 {builder_.getInt64(1), site(barrier, nullptr, what), item_, intervals()});
}

// ---- what a group does together

// Before it is done: each side, which has begun when the first work-item tells of it.
void Instrumentation::visit_group_copy(llvm::CallInst &copy) {
  const bool has_lines = called_primitive(copy) == Primitive::group_copy_lines;
  builder_.SetInsertPoint(&copy);
  builder_.SetCurrentDebugLocation(copy.getDebugLoc());
  auto operand = [&copy](unsigned index) { return copy.getArgOperand(index); };
  llvm::Value *zero = builder_.getInt64(0), *one = builder_.getInt64(1);
  for (unsigned side : {0u, 1u}) {
    llvm::Value *pointer = operand(side)->stripPointerCasts();
    if (!is_wanted(*pointer) ||
        (side == 1 && apart_->is_only_read(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0))))
      continue;
    CheckSite what{};
    what.kind = side == 0 ? AccessKind::copy_write : AccessKind::copy_read;
    what.scope = CheckScope::device;
    auto *element = has_lines ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operand(5));
    what.size = element ? static_cast<uint32_t>(element->getZExtValue()) : 1;
    llvm::Value *place = site(copy, pointer, what);
    llvm::SmallVector<llvm::Value *> arguments = {generic(pointer)};
    auto *stride = has_lines ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operand(3 + side));
    if (has_lines)
      arguments.append({operand(2), operand(3), operand(side == 0 ? 5 : 7), operand(4),
                        operand(side == 0 ? 6 : 8)});
    else if (stride && stride->isOne())
      arguments.append({builder_.CreateMul(operand(2), operand(5)), one, zero, one, zero});
    else
      arguments.append(
          {operand(5), operand(2), builder_.CreateMul(operand(3 + side), operand(5)), one, zero});
    arguments.append({one, place, item_, intervals()});
    call_primitive(builder_, Primitive::check_copy, builder_.getVoidTy(), arguments);
  }
}

void Instrumentation::tell_of_meeting(llvm::Instruction &operation, AccessKind kind,
                                      llvm::Value *condition) {
  CheckSite what{};
  what.kind = kind;
  llvm::Value *place = site(operation, nullptr, what);
  if (!condition)
    call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                   {builder_.getInt64(1), place, item_, intervals()});
  else
    call_primitive(builder_, Primitive::check_choice, builder_.getVoidTy(),
                   {builder_.CreateSExt(condition, builder_.getInt64Ty()), builder_.getInt64(1),
                    place, item_, intervals()});
}

// The value goes where accesses have an address.
void Instrumentation::tell_value(llvm::Instruction &note, llvm::Value *value, AccessKind kind,
                                 llvm::StringRef name) {
  CheckSite what{};
  what.kind = kind;
  what.argument = CheckSite::no_argument;
  call_primitive(builder_, Primitive::check_access, builder_.getVoidTy(),
                 {builder_.CreateIntToPtr(value, builder_.getPtrTy(generic_space)),
                  builder_.getInt64(0), builder_.getInt64(1),
                  sites_.add(what, note.getDebugLoc(), name), item_, intervals()});
}

// What tell-arguments has left. A copy without an event gets the number of copies so far, its own included.
void Instrumentation::tell_notes(llvm::ArrayRef<llvm::CallInst *> notes) {
  builder_.SetInsertPoint(function_.getEntryBlock().begin());
  llvm::AllocaInst *copies = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "copies");
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.CreateStore(builder_.getInt64(0), copies);
  for (llvm::CallInst *note : notes) {
    builder_.SetInsertPoint(note);
    builder_.SetCurrentDebugLocation(note->getDebugLoc());
    llvm::Value *value = note->getArgOperand(0);
    if (called_primitive(*note) == Primitive::tell_copy) {
      llvm::Value *own = builder_.CreateAdd(builder_.CreateLoad(builder_.getInt64Ty(), copies),
                                            builder_.getInt64(1));
      builder_.CreateStore(own, copies);
      value = builder_.CreateSelect(builder_.CreateIsNull(value), own, value);
      tell_value(*note, value, AccessKind::copy_event, "event of an async copy");
      note->replaceAllUsesWith(value);
    } else if (called_primitive(*note) == Primitive::tell_awaited) {
      tell_value(*note, value, AccessKind::awaited_event, "event_list of wait_group_events");
    } else {
      const ToldArgument &told =
          told_arguments()[llvm::cast<llvm::ConstantInt>(note->getArgOperand(1))->getZExtValue()];
      if (!(told.of_sub_group ? lanes_ : group_).is_uniform_everywhere(*value))
        tell_value(*note, value,
                   told.of_sub_group ? AccessKind::sub_group_argument : AccessKind::argument,
                   (told.name + " of " + told.function.ltrim('_')).str());
    }
    dead_.push_back(note);
  }
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg({copies}, dominators);
}

// ---- all of it

void Instrumentation::visit(llvm::Instruction &instruction) {
  const llvm::DataLayout &layout = module_.getDataLayout();
  builder_.SetInsertPoint(&instruction);
  builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
  CheckSite what{};
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    what.kind = AccessKind::atomic_read;
    what.order = order_of(load->getOrdering());
    if (is_relaxed_at_least(*load))
      visit_atomic(*load, load->getPointerOperand(), load->getType(), what);
    else if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
      visit_plain(*load, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()),
                  AccessKind::read,
                  is_guess_of_swap(*load) ? SameValue::guess_of_swap : SameValue::unknown);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    what.kind = AccessKind::atomic_write;
    what.order = order_of(store->getOrdering());
    llvm::Value *value = store->getValueOperand();
    if (is_relaxed_at_least(*store))
      visit_atomic(*store, store->getPointerOperand(), value->getType(), what);
    else
      visit_plain(*store, store->getPointerOperand(), layout.getTypeStoreSize(value->getType()),
                  AccessKind::write, same_value(*value));
  } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    what.kind = AccessKind::atomic_update;
    what.order = order_of(update->getOrdering());
    what.operation = AtomicOperation{static_cast<uint32_t>(update->getOperation())};
    visit_atomic(*update, update->getPointerOperand(), update->getType(), what);
  } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    what.kind = AccessKind::atomic_update;
    what.order = order_of(swap->getSuccessOrdering());
    what.failure = order_of(swap->getFailureOrdering());
    what.operation = AtomicOperation::compare_and_swap;
    visit_atomic(*swap, swap->getPointerOperand(), swap->getNewValOperand()->getType(), what);
  } else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    visit_copy(*copy);
  } else if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
             fence && fence->getSyncScopeID() != llvm::SyncScope::SingleThread) {
    visit_fence(*fence);
  } else if (called_primitive(instruction) == Primitive::sub_group_barrier) {
    visit_sub_group_barrier(llvm::cast<llvm::CallInst>(instruction));
  }
}

void Instrumentation::run(const ApartAccesses::Analyses &analyses, uint64_t refused) {
  apart_.emplace(shared_accesses(refused), analyses);
  say_what_is_supposed();
  const PartedMeetings parted = find_parted_meetings(function_, group_);
  llvm::SmallVector<llvm::Instruction *> accesses;
  llvm::SmallVector<llvm::CallInst *> operations, notes;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (is_of_checker(instruction))
      continue;
    if (const auto primitive = called_primitive(instruction); primitive && is_tell(*primitive))
      notes.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (is_group_operation(instruction))
      operations.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (instruction.mayReadOrWriteMemory())
      accesses.push_back(&instruction);
  }
  synchronises_ = synchronises() && !apart_->has_all(); // else nobody asks what they order
  is_narrow_ = llvm::any_of(accesses, [this](const llvm::Instruction *access) {
    const SynchronisationNote *note = notes_.at(access->getDebugLoc());
    return note && (access->isAtomic() || llvm::isa<llvm::FenceInst>(access)) &&
           note->scope < CheckScope::device;
  });
  has_fences_ = llvm::any_of(llvm::instructions(function_), [this](const llvm::Instruction &each) {
    const SynchronisationNote *note =
        called_primitive(each) == Primitive::barrier ? notes_.at(each.getDebugLoc()) : nullptr;
    return llvm::isa<llvm::FenceInst>(each) || (note && note->scope == CheckScope::device);
  });
  has_sub_group_barriers_ = llvm::any_of(accesses, [](const llvm::Instruction *access) {
    return called_primitive(*access) == Primitive::sub_group_barrier;
  });
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.SetCurrentDebugLocation({});
  item_ = linear_local_id(builder_);
  count_intervals(operations);
  if (!notes.empty())
    tell_notes(notes);
  for (llvm::Instruction *access : accesses)
    visit(*access);
  for (llvm::CallInst *operation : operations)
    if (is_group_copy(*called_primitive(*operation)))
      visit_group_copy(*operation);
  for (llvm::Instruction *operation : parted.operations) {
    builder_.SetInsertPoint(operation);
    builder_.SetCurrentDebugLocation(operation->getDebugLoc());
    tell_of_meeting(*operation, AccessKind::arrival, nullptr);
  }
  for (llvm::BranchInst *branch : parted.choices) {
    builder_.SetInsertPoint(branch);
    builder_.SetCurrentDebugLocation(branch->getDebugLoc());
    tell_of_meeting(*branch, AccessKind::choice, branch->getCondition());
  }
  for (llvm::Instruction *access : dead_)
    access->eraseFromParent();
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg({passed_}, dominators);
}

} // namespace

std::vector<int64_t> supposition_words(const llvm::Module &module) {
  std::vector<int64_t> words;
  if (const llvm::NamedMDNode *list = module.getNamedMetadata(suppositions_name))
    for (const llvm::MDOperand &word : list->getOperand(0)->operands())
      words.push_back(llvm::mdconst::extract<llvm::ConstantInt>(word)->getSExtValue());
  return words;
}

llvm::PreservedAnalyses InstrumentAccessesPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  function.removeFnAttr(llvm::Attribute::SanitizeThread);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  Uniformity lanes(function, dominators, UniformityLevel::lanes);
  Uniformity group(function, dominators, UniformityLevel::work_group);
  const ApartAccesses::Analyses needed{dominators, analyses.getResult<llvm::LoopAnalysis>(function),
                                       analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)};
  Instrumentation(function, lanes, group).run(needed, refused_);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
