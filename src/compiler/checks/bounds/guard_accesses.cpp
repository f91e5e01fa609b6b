// Keeps the accesses of a checked kernel within bounds. An access out of bounds is reported to the
// checker and not executed; a load that is not executed gives 0.
//
// The passes compare an offset with the size of the object that the pointer is based on. The size
// of a variable is known here, that of an argument's memory at launch. Other pointers are looked up
// by address at run time (memory_check_abi.h). Lanes within bounds continue.
//
// Pass guard-own-accesses
// Requires: one work-item's kernel, inlined.
// Ensures: accesses to private variables and constant tables are within bounds.
// Why here: scalar optimization would unroll a loop that runs one iteration too far and then delete
//   the invalid access. It also removes the comparisons that always hold.
//
// Pass guard-accesses
// Requires: the kernel before the stage `checks`.
// Ensures: accesses to global, local and generic memory are within bounds, unless the launch proves
//   it (in_bounds_accesses.h). Where an access is out of bounds, its shadow memory counts as
//   defined. Group copies out of bounds copy nothing. `sanitize_thread` stays.
// Why here: earlier there are more accesses, and wait loops are detected in loops as written.
//   Later, packetize merges accesses into wide ones whose bytes are unknown.
#include "compiler/checks/bounds/passes.h"

#include "abi/address_spaces.h"

#include "abi/memory_check_abi.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/bounds/in_bounds_accesses.h"
#include "compiler/checks/common/check_sites.h"
#include "compiler/checks/common/image_texels.h"
#include "compiler/checks/common/primitive_calls.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/variable_names.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <map>
#include <tuple>

namespace lockstep::compiler {

namespace {

constexpr llvm::StringLiteral scratch_name = "lockstep.group.scratch"; // memory of collectives

// For a pointer that may come from one of several objects: index of the object, its size, and the
// offset in it. Selects and phis parallel to those of the pointer carry all three values.
struct Carried {
  llvm::Value *offset = nullptr, *size = nullptr, *which = nullptr;
};

// The object or objects that a pointer is based on.
struct Object {
  llvm::Value *base = nullptr;
  uint64_t size = 0;                           // of a variable; 0: queried at run time
  llvm::SmallVector<llvm::Value *, 2> several; // instead of a base
  Carried carried;
  bool is_argument() const { return llvm::isa<llvm::Argument>(base); }
};

// Collects the objects that a pointer is based on, through phis, selects and address arithmetic.
// False if there are too many.
bool collect_objects(llvm::Value *pointer, llvm::SmallVectorImpl<llvm::Value *> &objects) {
  llvm::SmallSetVector<llvm::Value *, 16> open;
  open.insert(pointer);
  for (size_t i = 0; i != open.size(); ++i) {
    if (open.size() > limits::compared_accesses)
      return false;
    llvm::Value *value = open[i];
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value)) {
      for (llvm::Value *each : phi->incoming_values())
        open.insert(each);
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
      open.insert(select->getTrueValue());
      open.insert(select->getFalseValue());
    } else if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(value)) {
      open.insert(step->getPointerOperand());
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(value)) {
      open.insert(cast->getPointerOperand());
    } else {
      objects.push_back(value);
    }
  }
  return objects.size() <= limits::sum_terms;
}

// True for accesses to shadow memory (lower_undefined.cpp): it mirrors memory that the kernel
// accesses itself.
bool is_of_shadow(const llvm::Instruction &access) {
  return access.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

// Returns the kernel's address that `address`, in shadow memory, belongs to; null if there is none.
llvm::Value *beside_shadow(llvm::Value *address) {
  // The select picks the shadow of a copy's source, or none.
  if (auto *chosen = llvm::dyn_cast<llvm::SelectInst>(address))
    address = chosen->getTrueValue();
  if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(address))
    return step->getPointerOperand();
  auto *made = llvm::dyn_cast<llvm::IntToPtrInst>(address);
  auto *sum = made ? llvm::dyn_cast<llvm::BinaryOperator>(made->getOperand(0)) : nullptr;
  auto *number = sum ? llvm::dyn_cast<llvm::PtrToIntInst>(sum->getOperand(0)) : nullptr;
  return number ? number->getPointerOperand() : nullptr;
}

class Guards {
public:
  Guards(llvm::Function &function, llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
         InBoundsAccesses *in_bounds)
      : function_(function), module_(*function.getParent()), layout_(module_.getDataLayout()),
        loops_(loops), evolution_(evolution), in_bounds_(in_bounds), is_of_own_(!in_bounds),
        sites_(module_), builder_(module_.getContext()) {}

  void run();

private:
  struct Guarded {
    llvm::Instruction *access;
    llvm::TrackingVH<llvm::Value> pointer; // may be the result of an access that is guarded earlier
    AccessKind kind;
    Object object;
    llvm::Value *within; // result of the bounds comparison
    uint64_t size;
  };

  void find(llvm::Instruction &instruction);
  void add(llvm::Instruction &access, llvm::Value *pointer, llvm::Value *size, AccessKind kind);
  void add_copy(llvm::CallInst &copy, Primitive primitive);
  bool object_of(llvm::Value *pointer, Object &object);
  bool are_several(llvm::Value *pointer, Object &object);
  bool is_variable_of_this_pass(const llvm::Value &base) const;
  Carried carried(llvm::Value *pointer, const Object &object);
  Carried carried_from(llvm::Value *base, const Object &object);
  llvm::Value *offset_of(llvm::Value *pointer, const Object &object);
  llvm::Value *extent(MemoryExtent what, const Object &object);
  llvm::Value *query_at_entry(MemoryExtent what, const llvm::LoadInst &member);
  llvm::Value *within(llvm::Value *offset, llvm::Value *bytes, const Object &object);
  bool is_proven(llvm::Value *offset, uint64_t bytes, const Object &object);

  void guard(const Guarded &guarded);
  void guard_copy(const Guarded &guarded);
  void report(const Guarded &guarded);
  void report(const Guarded &guarded, const Object &object);
  llvm::Value *query(Primitive primitive, llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *generic(llvm::Value *pointer) {
    return builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy(generic_space));
  }

  llvm::Function &function_;
  llvm::Module &module_;
  const llvm::DataLayout &layout_;
  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  InBoundsAccesses *const in_bounds_; // null: the pass does not use launch assumptions
  const bool is_of_own_;
  CheckSites sites_;
  llvm::IRBuilder<> builder_;
  llvm::SmallVector<Guarded> guarded_;
  std::map<std::tuple<const llvm::Argument *, int64_t, uint32_t>, llvm::Value *>
      queried_; // queries of members
  // Keyed by the set of objects that a pointer may come from; `which` is an index into that set.
  std::map<llvm::SmallVector<llvm::Value *, 2>, llvm::DenseMap<llvm::Value *, Carried>> carried_;
};

// Queries a value that is constant while the kernel runs.
llvm::Value *Guards::query(Primitive primitive, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = query_constant(builder_, primitive, arguments);
  made->getCalledFunction()->addFnAttr(llvm::Attribute::Speculatable);
  return made;
}

// ---- objects

bool is_own_variable(const llvm::Value &base) {
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
  return llvm::isa<llvm::AllocaInst>(base) ||
         (variable && (variable->getAddressSpace() == constant_space || variable->isConstant()));
}

// 0: not a variable, or its size is unknown.
uint64_t size_of_variable(const llvm::Value &base, const llvm::DataLayout &layout) {
  if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&base))
    if (auto size = alloca->getAllocationSize(layout))
      return *size;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&base);
  return variable && !variable->getName().starts_with(scratch_name)
             ? layout.getTypeAllocSize(variable->getValueType()).getFixedValue()
             : 0;
}

// True if one of the objects is a variable, or if all are known. Otherwise the run-time lookup by
// address suffices.
bool Guards::are_several(llvm::Value *pointer, Object &object) {
  llvm::SmallVector<llvm::Value *, 2> objects;
  if (!collect_objects(pointer, objects) || objects.size() < 2)
    return false;
  bool has_variable = false, are_known = true, are_own = true;
  for (const llvm::Value *base : objects) {
    const unsigned space = base->getType()->getPointerAddressSpace();
    const bool is_known = llvm::isa<llvm::ConstantPointerNull, llvm::UndefValue>(base);
    const bool is_variable = size_of_variable(*base, layout_) != 0;
    const bool is_queried =
        llvm::isa<llvm::Argument>(base)
            ? space != private_space
            : space != private_space && space != local_space && llvm::isa<llvm::Instruction>(base);
    if ((!is_known && !is_variable && !is_queried) || image_of_texels(*base))
      return false;
    has_variable |= is_variable || (is_queried && space == local_space);
    are_known &= is_known || is_variable || llvm::isa<llvm::Argument>(base);
    are_own &= is_known || (is_variable && is_own_variable(*base));
  }
  if ((!has_variable && !are_known) || are_own != is_of_own_)
    return false;
  object.several = objects;
  object.carried = carried(pointer, object);
  const uint64_t size = size_of_variable(*objects.front(), layout_);
  if (size &&
      llvm::all_of(objects, [&](auto *each) { return size_of_variable(*each, layout_) == size; }))
    object.carried.size = builder_.getInt64(object.size = size);
  return true;
}

Carried Guards::carried_from(llvm::Value *base, const Object &object) {
  const auto which = std::find(object.several.begin(), object.several.end(), base);
  llvm::Value *number = builder_.getInt32(uint32_t(which - object.several.begin()));
  if (llvm::isa<llvm::Constant>(base) && !llvm::isa<llvm::GlobalVariable>(base))
    return {builder_.getInt64(0), builder_.getInt64(0), number};
  if (auto *made = llvm::dyn_cast<llvm::Instruction>(base))
    builder_.SetInsertPoint(*made->getInsertionPointAfterDef());
  else
    builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Object one;
  one.base = base;
  one.size = size_of_variable(*base, layout_);
  return {extent(MemoryExtent::lead, one), extent(MemoryExtent::size, one), number};
}

Carried Guards::carried(llvm::Value *pointer, const Object &object) {
  auto &known = carried_[object.several];
  if (auto found = known.find(pointer); found != known.end())
    return found->second;
  Carried result;
  const llvm::IRBuilderBase::InsertPointGuard place(builder_);
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(pointer)) {
    builder_.SetInsertPoint(phi);
    const unsigned count = phi->getNumIncomingValues();
    llvm::PHINode *offset = builder_.CreatePHI(builder_.getInt64Ty(), count),
                  *size = builder_.CreatePHI(builder_.getInt64Ty(), count),
                  *which = builder_.CreatePHI(builder_.getInt32Ty(), count);
    known[pointer] = {offset, size, which}; // Entered first, since loops lead back here.
    for (unsigned i = 0; i != count; ++i) {
      const Carried from = carried(phi->getIncomingValue(i), object);
      offset->addIncoming(from.offset, phi->getIncomingBlock(i));
      size->addIncoming(from.size, phi->getIncomingBlock(i));
      which->addIncoming(from.which, phi->getIncomingBlock(i));
    }
    return {offset, size, which};
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
    const Carried one = carried(select->getTrueValue(), object),
                  other = carried(select->getFalseValue(), object);
    builder_.SetInsertPoint(select);
    auto chosen = [&](llvm::Value *Carried::*part) {
      return one.*part == other.*part
                 ? one.*part
                 : builder_.CreateSelect(select->getCondition(), one.*part, other.*part);
    };
    result = {chosen(&Carried::offset), chosen(&Carried::size), chosen(&Carried::which)};
  } else if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    result = carried(step->getPointerOperand(), object);
    if (auto *made = llvm::dyn_cast<llvm::Instruction>(pointer))
      builder_.SetInsertPoint(made);
    llvm::Value *offset = llvm::emitGEPOffset(&builder_, layout_, step, /*NoAssumptions=*/true);
    result.offset = builder_.CreateAdd(result.offset,
                                       builder_.CreateSExtOrTrunc(offset, builder_.getInt64Ty()));
  } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
    result = carried(cast->getPointerOperand(), object);
  } else {
    result = carried_from(pointer, object);
  }
  return known[pointer] = result;
}

bool Guards::is_variable_of_this_pass(const llvm::Value &base) const {
  return is_of_own_ == is_own_variable(base);
}

bool Guards::object_of(llvm::Value *pointer, Object &object) {
  if (are_several(pointer, object))
    return true;
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, &loops_, /*MaxLookup=*/0);
  // Several objects: the memory is looked up by address at run time, which excludes private memory.
  object.base = objects.size() == 1 ? const_cast<llvm::Value *>(objects.front())
                                    : llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object.base)) {
    object.size = size_of_variable(*object.base, layout_);
    return object.size != 0 && is_variable_of_this_pass(*object.base);
  }
  if (llvm::isa<llvm::Constant>(object.base) && !llvm::isa<llvm::ConstantPointerNull>(object.base))
    return false;
  if (image_of_texels(*object.base)) // The image functions check coordinates themselves.
    return false;
  const unsigned space = object.base->getType()->getPointerAddressSpace();
  return !is_of_own_ && space != private_space && (object.is_argument() || space != local_space);
}

llvm::Value *Guards::extent(MemoryExtent what, const Object &object) {
  llvm::Value *number = builder_.getInt32(static_cast<uint32_t>(what));
  if (object.carried.size)
    return object.carried.size;
  if (object.size)
    return builder_.getInt64(what == MemoryExtent::size ? object.size : 0);
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(object.base))
    return query(Primitive::check_extent, {number, builder_.getInt32(argument->getArgNo())});
  if (member_of(*object.base)) // Queried once per member of a function object, at kernel entry.
    return query_at_entry(what, llvm::cast<llvm::LoadInst>(*object.base));
  return query(Primitive::check_object, {number, generic(object.base)});
}

llvm::Value *Guards::query_at_entry(MemoryExtent what, const llvm::LoadInst &member) {
  const ArgumentMember place = *member_of(member);
  llvm::Value *&known = queried_[{place.argument, place.byte, static_cast<uint32_t>(what)}];
  if (known)
    return known;
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::LoadInst *same = load_at_entry(member);
  builder_.SetInsertPoint(*same->getInsertionPointAfterDef());
  builder_.SetCurrentDebugLocation({});
  return known = query(Primitive::check_object,
                       {builder_.getInt32(static_cast<uint32_t>(what)), generic(same)});
}

// Byte offset from the beginning of the object. Computed from GEP steps if possible: comparing the
// address would keep a private variable out of registers.
llvm::Value *Guards::offset_of(llvm::Value *pointer, const Object &object) {
  if (object.carried.offset)
    return object.carried.offset;
  llvm::Value *sum = extent(MemoryExtent::lead, object), *rest = pointer;
  while (rest != object.base) {
    if (auto *step = llvm::dyn_cast<llvm::GEPOperator>(rest)) {
      llvm::Value *offset = llvm::emitGEPOffset(&builder_, layout_, step, /*NoAssumptions=*/true);
      sum = builder_.CreateAdd(sum, builder_.CreateSExtOrTrunc(offset, builder_.getInt64Ty()));
      rest = step->getPointerOperand();
    } else if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(rest)) {
      rest = cast->getPointerOperand();
    } else {
      llvm::Type *word = builder_.getInt64Ty();
      return builder_.CreateAdd(
          sum, builder_.CreateSub(builder_.CreatePtrToInt(generic(rest), word),
                                  builder_.CreatePtrToInt(generic(object.base), word)));
    }
  }
  return sum;
}

// Checks offset + bytes <= size without overflow.
llvm::Value *Guards::within(llvm::Value *offset, llvm::Value *bytes, const Object &object) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  if (object.size && constant)
    return builder_.CreateICmpULT(
        offset,
        builder_.getInt64(object.size - std::min(object.size, constant->getZExtValue() - 1)));
  llvm::Value *size = extent(MemoryExtent::size, object);
  llvm::Value *limit = builder_.CreateBinaryIntrinsic(
      llvm::Intrinsic::usub_sat, size, builder_.CreateSub(bytes, builder_.getInt64(1)));
  return builder_.CreateICmpULT(offset, limit);
}

bool Guards::is_proven(llvm::Value *offset, uint64_t bytes, const Object &object) {
  if (!object.size || bytes > object.size)
    return false;
  const llvm::APInt most = evolution_.getUnsignedRangeMax(evolution_.getSCEV(offset));
  return most.ule(object.size - bytes);
}

// ---- accesses

static bool copies_for_group(const llvm::Instruction &access) {
  const auto primitive = called_primitive(access);
  return primitive && is_group_copy(*primitive);
}

void Guards::add(llvm::Instruction &access, llvm::Value *pointer, llvm::Value *size,
                 AccessKind kind) {
  Object object;
  if (is_of_shadow(access) && !(pointer = beside_shadow(pointer)))
    return;
  auto *bytes = llvm::dyn_cast<llvm::ConstantInt>(size);
  if ((bytes && bytes->isZero()) || !object_of(pointer, object))
    return;
  const bool is_copy = copies_for_group(access);
  builder_.SetInsertPoint(&access);
  builder_.SetCurrentDebugLocation(access.getDebugLoc());
  llvm::Value *offset = offset_of(pointer, object);
  if (bytes && is_proven(offset, bytes->getZExtValue(), object))
    return;
  if (in_bounds_ && bytes && !is_copy && object.several.empty() &&
      in_bounds_->has(access, *pointer, *object.base, bytes->getZExtValue(), object.size))
    return;
  llvm::Value *condition = within(offset, size, object);
  if (!bytes)
    condition = builder_.CreateOr(builder_.CreateICmpEQ(size, builder_.getInt64(0)), condition);
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition); constant && constant->isOne())
    return;
  if (!is_of_own_ && !is_of_shadow(access))
    remark(access, "guard-accesses", "this access is compared with the size of its memory");
  guarded_.push_back(
      {&access, pointer, kind, object, condition, bytes && !is_copy ? bytes->getZExtValue() : 1});
}

// Each side of a copy covers the bytes from its first to its last element.
void Guards::add_copy(llvm::CallInst &copy, Primitive primitive) {
  auto operand = [&copy](unsigned index) { return copy.getArgOperand(index); };
  llvm::Value *one = builder_.getInt64(1), *zero = builder_.getInt64(0);
  for (unsigned side : {0u, 1u}) {
    builder_.SetInsertPoint(&copy);
    builder_.SetCurrentDebugLocation(copy.getDebugLoc());
    auto last = [&](llvm::Value *count, llvm::Value *pitch) {
      return builder_.CreateMul(builder_.CreateSub(count, one), pitch);
    };
    llvm::Value *bytes = nullptr, *is_nothing = nullptr;
    if (primitive == Primitive::group_copy) {
      bytes = builder_.CreateMul(builder_.CreateAdd(last(operand(2), operand(3 + side)), one),
                                 operand(5));
      is_nothing = builder_.CreateICmpEQ(operand(2), zero);
    } else {
      llvm::Value *line = operand(side == 0 ? 5 : 7), *plane = operand(side == 0 ? 6 : 8);
      bytes = builder_.CreateAdd(
          operand(2), builder_.CreateAdd(last(operand(3), line), last(operand(4), plane)));
      is_nothing = builder_.CreateICmpEQ(
          builder_.CreateMul(builder_.CreateMul(operand(2), operand(3)), operand(4)), zero);
    }
    add(copy, operand(side), builder_.CreateSelect(is_nothing, zero, bytes),
        side == 0 ? AccessKind::copy_write : AccessKind::copy_read);
  }
}

void Guards::find(llvm::Instruction &instruction) {
  auto bytes_of = [this](llvm::Type *type) {
    return builder_.getInt64(layout_.getTypeStoreSize(type));
  };
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    add(*load, load->getPointerOperand(), bytes_of(load->getType()),
        load->isAtomic() ? AccessKind::atomic_read : AccessKind::read);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    add(*store, store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()),
        store->isAtomic() ? AccessKind::atomic_write : AccessKind::write);
  } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    add(*update, update->getPointerOperand(), bytes_of(update->getType()),
        AccessKind::atomic_update);
  } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    add(*swap, swap->getPointerOperand(), bytes_of(swap->getNewValOperand()->getType()),
        AccessKind::atomic_update);
  } else if (const auto product = atomic_multiply(instruction)) {
    add(instruction, product->pointer, bytes_of(product->value->getType()),
        AccessKind::atomic_update);
  } else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    builder_.SetInsertPoint(copy);
    llvm::Value *bytes = builder_.CreateZExt(copy->getLength(), builder_.getInt64Ty());
    add(*copy, copy->getRawDest(), bytes, AccessKind::write);
    if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy))
      add(*copy, transfer->getRawSource(), bytes, AccessKind::read);
  } else if (copies_for_group(instruction) && !is_of_own_) {
    add_copy(llvm::cast<llvm::CallInst>(instruction), *called_primitive(instruction));
  }
}

// ---- guards

// Reports the access. A variable that the launch does not know is reported by the offset in it.
void Guards::report(const Guarded &guarded, const Object &object) {
  const auto &[access, pointer, kind, own, within, size] = guarded;
  CheckSite site{};
  site.kind = kind;
  site.size = static_cast<uint32_t>(size);
  site.argument = CheckSite::no_argument;
  site.address_space = object.base->getType()->getPointerAddressSpace();
  llvm::StringRef name;
  llvm::Value *place = nullptr;
  if (object.size) {
    name = object.base->getName();
    if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object.base))
      name = name_in_source(*variable);
    // Inlining renames a variable `a` to `a.i`.
    if (llvm::isa<llvm::AllocaInst>(object.base))
      name = name.split('.').first;
    place = builder_.CreateIntToPtr(offset_of(pointer, own), builder_.getPtrTy(generic_space));
  } else {
    set_argument(site, *object.base);
    place = generic(pointer);
  }
  llvm::Value *item = linear_local_id(builder_);
  call_primitive(builder_, Primitive::check_outside, builder_.getVoidTy(),
                 {place, builder_.getInt64(0), builder_.getInt64(1),
                  sites_.add(site, *access, name), item, builder_.getInt64(object.size)});
}

void Guards::report(const Guarded &guarded) {
  if (is_of_shadow(*guarded.access)) // The access to the program's memory is reported instead.
    return;
  if (guarded.object.several.empty())
    return report(guarded, guarded.object);
  llvm::Instruction *end = &*builder_.GetInsertPoint();
  for (size_t i = 0; i != guarded.object.several.size(); ++i) {
    Object one;
    one.base = guarded.object.several[i];
    one.size = size_of_variable(*one.base, layout_);
    builder_.SetInsertPoint(end);
    llvm::Value *is_it =
        builder_.CreateICmpEQ(guarded.object.carried.which, builder_.getInt32(uint32_t(i)));
    builder_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_it, end, /*Unreachable=*/false));
    builder_.SetCurrentDebugLocation(guarded.access->getDebugLoc());
    report(guarded, one);
  }
}

void Guards::guard(const Guarded &guarded) {
  llvm::Instruction &access = *guarded.access;
  llvm::MDNode *weights = llvm::MDBuilder(module_.getContext()).createLikelyBranchWeights();
  llvm::Instruction *made = nullptr, *failed = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(guarded.within, &access, &made, &failed, weights);
  for (llvm::Instruction *end : {made, failed})
    end->setDebugLoc(access.getDebugLoc());
  made->getParent()->getSinglePredecessor()->getTerminator()->setDebugLoc(access.getDebugLoc());
  llvm::BasicBlock *after = access.getParent();
  access.moveBefore(made->getIterator());
  builder_.SetInsertPoint(failed);
  builder_.SetCurrentDebugLocation(access.getDebugLoc());
  report(guarded);
  if (access.getType()->isVoidTy())
    return;
  const llvm::MDNode *shadow = access.getMetadata(llvm::LLVMContext::MD_nosanitize);
  llvm::Value *instead = shadow && shadow->getNumOperands() != 0
                             // all bits are defined
                             ? llvm::Constant::getAllOnesValue(access.getType())
                             : llvm::Constant::getNullValue(access.getType());
  // A failed swap returns the expected value, so that no loop waits for it.
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access)) {
    instead = builder_.CreateInsertValue(llvm::PoisonValue::get(access.getType()),
                                         swap->getCompareOperand(), 0);
    instead = builder_.CreateInsertValue(instead, builder_.getTrue(), 1);
  }
  builder_.SetInsertPoint(after, after->begin());
  llvm::PHINode *joined = builder_.CreatePHI(access.getType(), 2);
  joined->takeName(&access);
  access.replaceAllUsesWith(joined);
  joined->addIncoming(&access, made->getParent());
  joined->addIncoming(instead, failed->getParent());
}

// All work-items must reach a group copy, so it cannot become conditional; its element count
// becomes 0.
void Guards::guard_copy(const Guarded &guarded) {
  auto &copy = llvm::cast<llvm::CallInst>(*guarded.access);
  builder_.SetInsertPoint(&copy);
  builder_.SetCurrentDebugLocation(copy.getDebugLoc());
  const unsigned count = called_primitive(copy) == Primitive::group_copy ? 2 : 4;
  copy.setArgOperand(count, builder_.CreateSelect(guarded.within, copy.getArgOperand(count),
                                                  builder_.getInt64(0)));
  if (is_of_shadow(copy))
    return;
  llvm::Instruction *failed = llvm::SplitBlockAndInsertIfThen(
      builder_.CreateNot(guarded.within), &copy, /*Unreachable=*/false,
      llvm::MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
  failed->setDebugLoc(copy.getDebugLoc());
  failed->getParent()->getSinglePredecessor()->getTerminator()->setDebugLoc(copy.getDebugLoc());
  builder_.SetInsertPoint(failed);
  builder_.SetCurrentDebugLocation(copy.getDebugLoc());
  report(guarded);
}

void Guards::run() {
  llvm::SmallVector<llvm::Instruction *> accesses;
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    if (instruction.mayReadOrWriteMemory())
      accesses.push_back(&instruction);
  for (llvm::Instruction *access : accesses)
    find(*access);
  for (const Guarded &each : guarded_) // splits blocks
    copies_for_group(*each.access) ? guard_copy(each) : guard(each);
}

} // namespace

llvm::PreservedAnalyses GuardAccessesPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  InBoundsAccesses in_bounds(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                             loops, evolution, failed_);
  Guards(function, loops, evolution, &in_bounds).run();
  assume_in_bounds(*function.getParent(), in_bounds.found());
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses GuardOwnAccessesPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  Guards(function, analyses.getResult<llvm::LoopAnalysis>(function),
         analyses.getResult<llvm::ScalarEvolutionAnalysis>(function), nullptr)
      .run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
