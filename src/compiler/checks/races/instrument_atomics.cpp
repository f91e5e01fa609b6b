// Instruments atomics and fences: the checker performs them, so that it knows what they order.
#include "compiler/checks/races/instrumentation.h"

#include "abi/privatized_reductions.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/undefined/undefined_calls.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/metadata_numbers.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/InstIterator.h"

namespace lockstep::compiler {

static_assert(static_cast<uint32_t>(AtomicOperation::minimum_of_floats) ==
              static_cast<uint32_t>(llvm::AtomicRMWInst::FMin));

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

bool is_guess_of_swap(const llvm::LoadInst &load) {
  auto swaps = [&load](const llvm::Value *value) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(value);
    return swap && swap->getPointerOperand() == load.getPointerOperand();
  };
  auto is_result = [&swaps](const llvm::Value *value) {
    auto *result = llvm::dyn_cast<llvm::ExtractValueInst>(value);
    if (!result)
      return false;
    auto *joined =
        llvm::dyn_cast<llvm::PHINode>(result->getAggregateOperand()); // result of a guarded swap
    return swaps(result->getAggregateOperand()) ||
           (joined && llvm::any_of(joined->incoming_values(), swaps));
  };
  // Reports about shadow bits, and the branches around them, are not uses by the program.
  const bool is_tracked = load.hasMetadata(user_code);
  auto is_of_the_check = [&](const llvm::Instruction &user) {
    return user.hasMetadata(llvm::LLVMContext::MD_nosanitize) ||
           (is_tracked && user.isTerminator() && !user.hasMetadata(user_code));
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
      if (is_of_the_check(*user))
        continue;
      if (auto *result = llvm::dyn_cast<llvm::ExtractValueInst>(user);
          result && result->getType()->isIntegerTy(1) && is_result(result)) // the success flag
        continue;
      if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(user);
          comparison && comparison->isEquality() &&
          // compares the result with the expected value
          llvm::any_of(comparison->operands(), is_result))
        continue;
      const bool passes_on =
          llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BinaryOperator, llvm::UnaryOperator,
                    llvm::CastInst, llvm::FreezeInst, llvm::CmpInst, llvm::InsertValueInst,
                    llvm::ExtractValueInst>(user) ||
          (llvm::isa<llvm::IntrinsicInst>(user) && !user->mayReadOrWriteMemory() &&
           !user->getType()->isVoidTy());
      if (!passes_on || (llvm::isa<llvm::SelectInst>(user) && use.getOperandNo() == 0))
        return false;
      if (seen.insert(user).second)
        open.push_back(user);
    }
  return is_expected;
}

bool Instrumentation::is_barrier_of_lanes(const llvm::Instruction &fence) const {
  const SynchronizationNote *note =
      llvm::isa<llvm::FenceInst>(fence) ? notes_.at(fence.getDebugLoc()) : nullptr;
  return note && note->kind == SynchronizationNote::orders_lanes;
}

// The scope of the OpenCL C call, else that of the instruction.
CheckScope Instrumentation::scope_of(const llvm::Instruction &access) const {
  const SynchronizationNote *note = notes_.at(access.getDebugLoc());
  return note ? note->scope : written_scope(access);
}

// Atomics that order nothing need no vector clocks.
bool Instrumentation::synchronizes() const {
  for (const llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (llvm::isa<llvm::FenceInst>(instruction)) {
      if (is_barrier_of_lanes(instruction))
        continue;
      return true;
    }
    if (const auto product = atomic_multiply(instruction);
        product && isStrongerThanMonotonic(product->ordering))
      return true;
    if (instruction.isAtomic() && !is_atomic_of_pipe(instruction) &&
        llvm::any_of(instruction.operands(), [](const llvm::Use &use) {
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

void Instrumentation::record_synchronization(llvm::ArrayRef<llvm::Instruction *> accesses) {
  for (const llvm::Instruction *access : accesses) {
    const bool is_fence = llvm::isa<llvm::FenceInst>(access);
    if (const CheckScope scope = scope_of(*access);
        (access->isAtomic() || is_fence) &&
        !(is_fence && scope == CheckScope::work_item)) // orders nothing
      narrowest_ = std::min(narrowest_, scope);
  }
  // Otherwise no check depends on what they order: then they are only marked. If atomics have the
  // scope of a sub-group, comparing two sub-groups is not representative for their work-group.
  orders_others_ = synchronizes() || narrowest_ < CheckScope::work_group;
  synchronizes_ = wanted_.races && orders_others_ && !disjoint_->has_all();
  has_fences_ = llvm::any_of(llvm::instructions(function_), [this](const llvm::Instruction &each) {
    const SynchronizationNote *note =
        called_primitive(each) == Primitive::barrier ? notes_.at(each.getDebugLoc()) : nullptr;
    return llvm::isa<llvm::FenceInst>(each) || (note && note->scope == CheckScope::device);
  });
  has_weak_stores_ = has_weak_stores(accesses);
  has_sub_group_barriers_ = llvm::any_of(accesses, [this](const llvm::Instruction *access) {
    return called_primitive(*access) == Primitive::sub_group_barrier ||
           is_barrier_of_lanes(*access);
  });
}

// A store ends the release sequences of other work-items but continues that of its own (API 3.3.4).
// This matters only if the store does not release everything that another atomic of its work-item
// may have released before.
bool Instrumentation::has_weak_stores(llvm::ArrayRef<llvm::Instruction *> accesses) const {
  const auto order = [](const llvm::Instruction &access) {
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access))
      return order_of(store->getOrdering());
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
      return order_of(update->getOrdering());
    if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
      return order_of(swap->getSuccessOrdering());
    const auto product = atomic_multiply(access);
    return product ? order_of(product->ordering) : CheckOrder::relaxed;
  };
  auto widest = CheckScope::work_item;
  bool releases_something = false, releases_both = false;
  const bool has_both = llvm::any_of(accesses, [](const llvm::Instruction *access) {
    return llvm::any_of(access->operands(), [](const llvm::Use &use) {
      auto *pointer = llvm::dyn_cast<llvm::PointerType>(use->getType());
      return pointer && (pointer->getAddressSpace() == local_space ||
                         pointer->getAddressSpace() == generic_space);
    });
  });
  for (const llvm::Instruction *access : accesses) {
    if (llvm::isa<llvm::LoadInst, llvm::FenceInst>(access) || !is_relaxed_at_least(*access) ||
        !(has_fences_ || releases(order(*access))))
      continue;
    widest = std::max(widest, scope_of(*access));
    releases_something |= releases(order(*access));
    releases_both |= has_both && order(*access) == CheckOrder::seq_cst;
  }
  return llvm::any_of(accesses, [&](const llvm::Instruction *access) {
    return llvm::isa<llvm::StoreInst>(access) && is_relaxed_at_least(*access) &&
           (scope_of(*access) < widest || (releases_something && !releases(order(*access))) ||
            (releases_both && order(*access) != CheckOrder::seq_cst));
  });
}

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
    reports_accesses_ = true;
    load->replaceAllUsesWith(from_word(word, type));
    return dead_.push_back(load);
  }
  llvm::Value *operand = builder_.getInt64(0), *expected = builder_.getInt64(0);
  auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access))
    operand = as_word(store->getValueOperand());
  else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    operand = as_word(update->getValOperand());
  else if (const auto product = atomic_multiply(access))
    operand = as_word(product->value);
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
  if (!is_wanted(*pointer))
    return;
  if (const llvm::MDNode *copy = access.getMetadata(privatized_metadata)) {
    // The update is of a privatized copy; other threads update their own copies.
    if (wanted_.commands)
      marks_.add_update(access, pointer, size, footprint_kind(what.kind),
                        *function_.getArg(number_at(*copy, 0)));
    return;
  }
  if (!synchronizes_ || size > 8 || type->isVectorTy() ||
      (llvm::isa<llvm::AtomicRMWInst>(access) &&
       what.operation > AtomicOperation::minimum_of_floats))
    return visit_plain(access, pointer, size, what.kind, SameValue::unknown);
  what.size = static_cast<uint32_t>(size);
  what.scope = scope_of(access);
  what.fences = (has_fences_ ? local_fence | global_fence : 0) |
                (has_weak_stores_ ? CheckSite::weak_stores : 0);
  if (disjoint_->has(access, pointer))
    what.same_value = SameValue::conflicts_only_with_atomics;
  make_atomic(access, pointer, type, site(access, pointer, what));
}

void Instrumentation::visit_fence(llvm::FenceInst &fence) {
  if (is_barrier_of_lanes(fence))
    return visit_sub_group_barrier(fence);
  if (!synchronizes_)
    return;
  CheckSite what{};
  what.kind = AccessKind::fence;
  what.order = order_of(fence.getOrdering());
  what.scope = scope_of(fence);
  what.fences = local_fence | global_fence;
  if (const SynchronizationNote *note = notes_.at(fence.getDebugLoc()))
    what.fences = note->fences;
  call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                 {builder_.getInt64(1), site(fence, nullptr, what), item_, intervals()});
}

void Instrumentation::visit_sub_group_barrier(llvm::Instruction &barrier) {
  builder_.SetInsertPoint(barrier.getNextNode());
  CheckSite what{};
  what.kind = AccessKind::sub_group_barrier;
  what.fences = llvm::isa<llvm::FenceInst>(barrier)
                    ? 0
                    : local_fence | global_fence; // 0: only the lanes that reach the fence
  call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                 {builder_.getInt64(1), site(barrier, nullptr, what), item_, intervals()});
}

} // namespace lockstep::compiler
