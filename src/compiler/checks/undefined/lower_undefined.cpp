// Lowers the shadow-access placeholders of track-undefined to loads and stores of shadow memory,
// and drops reports that can never fire.
//
// Requires: one work-item's kernel after scalar optimization, with the calls of track-undefined
//   (undefined_calls.h).
// Ensures: of these calls only __lockstep_check_choice is left, behind a branch. The shadow of
//   local memory follows it, where the launch has reserved room. For other memory, the launch gives
//   the distance to the shadow (memory_check_abi.h), if there is one. Arguments and members through
//   which nothing is written and whose memory the launch knows to be defined are not queried
//   (Specialization::defined_arguments, defined_members). used_members.h records these members in
//   the module. Accesses to shadow memory have `nosanitize`.
// Why here: the origin of a pointer is known only when pointers are in registers and structures are
//   split. Folding shows which values are always defined. The pass must precede the detection of
//   wait loops, which treats unknown calls as having any effect.
#include "compiler/checks/undefined/passes.h"

#include "abi/address_spaces.h"

#include "abi/memory_check_abi.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/undefined/shadow_bits.h"
#include "compiler/checks/undefined/undefined_calls.h"
#include "compiler/checks/undefined/used_members.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/function_families.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <optional>

namespace lockstep::compiler {

namespace {

// The address of a texel outside of the image is null plus a byte offset, which is in the first
// page.
constexpr uint64_t first_page = page_bytes;
// Longer than any row in local memory.
constexpr uint64_t bytes_of_constant = 64 << 10;

// 1 in each byte.
llvm::Constant *computed_bytes(llvm::Type &bits) {
  return llvm::ConstantInt::get(
      &bits, llvm::APInt::getSplat(bits.getScalarSizeInBits(), llvm::APInt(8, 1)));
}

class Lowering {
public:
  // `defined_members`: without those through which the kernel writes.
  Lowering(llvm::Function &function, uint64_t defined_arguments, uint64_t defined_members)
      : function_(function), defined_arguments_(defined_arguments),
        defined_members_(defined_members), module_(*function.getParent()),
        builder_(module_.getContext()),
        has_local_variables_(llvm::any_of(module_.globals(), [](const llvm::GlobalVariable &one) {
          return one.getAddressSpace() == local_space;
        })) {}

  void run();

private:
  // The shadow memory that belongs to the memory a pointer points to.
  struct ShadowDistances {
    // distances in bytes to the shadow; null: no shadow
    llvm::Value *bits = nullptr, *computed = nullptr;
    bool is_local = false; // local memory has both
  };
  ShadowDistances shadow_of(llvm::Value *pointer);
  std::optional<ShadowDistances> shadow_of_image(llvm::Value *texel);
  llvm::Value *distance_of_any(llvm::Value *pointer);
  llvm::Value *query(MemoryExtent what, llvm::Value *base, bool is_local);
  llvm::Value *at(llvm::Value *pointer, llvm::Value *distance);
  llvm::Value *is_hosts(llvm::Value *distance);
  llvm::CallInst *query_writes(llvm::Value *pointer, llvm::Value *size);
  template <class Access> Access *unseen(Access *access) {
    access->setMetadata(llvm::LLVMContext::MD_nosanitize,
                        llvm::MDNode::get(module_.getContext(), {}));
    return access;
  }
  // If guard-accesses suppresses the load, it gives all ones: every bit is defined.
  llvm::LoadInst *load_bits(llvm::Type *type, llvm::Value *place, llvm::Align alignment) {
    llvm::LoadInst *made = builder_.CreateAlignedLoad(type, place, alignment);
    llvm::Metadata *what = llvm::MDString::get(module_.getContext(), "bits");
    made->setMetadata(llvm::LLVMContext::MD_nosanitize,
                      llvm::MDNode::get(module_.getContext(), what));
    return made;
  }
  // Marks a call that only reports: it changes nothing that a loop waits for or that the kernel
  // leaves in memory.
  void hide(llvm::CallInst *check) {
    unseen(check)->setOnlyReadsMemory();
    check->setCannotMerge(); // as for calls of track-undefined
  }
  void go_behind(llvm::Value *condition, llvm::Instruction &before, bool is_likely);
  // Inserted before `call`, whose first argument is the address that `distance` applies to.
  llvm::Value *load(llvm::CallInst &call, llvm::Value *distance, llvm::Constant *without_shadow,
                    bool is_local);
  llvm::Value *load_again_if_hosts(llvm::CallInst &call, llvm::Value *distance,
                                   llvm::Value *loaded);
  void store(llvm::CallInst &call, llvm::Value *distance, llvm::Value *value, bool is_local);
  void store_if_changed(llvm::CallInst &call, llvm::Value *distance, llvm::Value *value);
  void report(llvm::Value *site);

  void lower_load(llvm::CallInst &load, bool of_computed);
  void lower_store(llvm::CallInst &store);
  void lower_update(llvm::CallInst &update);
  void lower_copy(llvm::CallInst &copy);
  void look_for_writes(llvm::CallInst &call, llvm::Value *distance);
  void copy_shadow(llvm::CallInst &call, llvm::Value *distance, bool is_local,
                   const ShadowDistances &from, uint8_t otherwise);
  void lower_check(llvm::CallInst &check);

  // the launch says whether its memory is defined
  bool reports_defined(const llvm::Argument &argument) const;
  bool is_defined(const llvm::Value &base) const; // and stays defined

  llvm::Function &function_;
  const uint64_t defined_arguments_, defined_members_;
  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
  const bool has_local_variables_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> distances_; // by phi or select of pointers
};

// ---- shadow memory

llvm::Value *Lowering::query(MemoryExtent what, llvm::Value *base, bool is_local) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Value *number = builder_.getInt32(static_cast<uint32_t>(what));
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  llvm::CallInst *made = nullptr;
  if (auto *member = llvm::dyn_cast<llvm::LoadInst>(base))
    builder_.SetInsertPoint(*member->getInsertionPointAfterDef());
  if (is_local || argument) {
    builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    made = query_constant(
        builder_, Primitive::check_extent,
        {number, builder_.getInt32(is_local ? local_memory_of_group : argument->getArgNo())});
  } else {
    made = query_constant(
        builder_, Primitive::check_object,
        {number, builder_.CreateAddrSpaceCast(base, builder_.getPtrTy(generic_space))});
  }
  made->getCalledFunction()->addFnAttr(llvm::Attribute::Speculatable);
  return made;
}

bool Lowering::reports_defined(const llvm::Argument &argument) const {
  return argument.getArgNo() < 64 && defined_arguments_ >> argument.getArgNo() & 1;
}

bool Lowering::is_defined(const llvm::Value &base) const {
  if (bit_of_member(base) & defined_members_)
    return true;
  const auto *argument = llvm::dyn_cast<llvm::Argument>(&base);
  llvm::SmallPtrSet<const llvm::Value *, 16> seen;
  return argument && reports_defined(*argument) && is_only_read(*argument, seen);
}

// `texel` is the address of a texel or of one of its bytes, based on null outside of the image. The
// shadow distance of the image is queried once per argument, however many texels the kernel
// accesses.
std::optional<Lowering::ShadowDistances> Lowering::shadow_of_image(llvm::Value *texel) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(texel, objects);
  const bool may_be_null = llvm::any_of(objects, [](const llvm::Value *object) {
    return llvm::isa<llvm::ConstantPointerNull>(object);
  });
  llvm::erase_if(objects, [](const llvm::Value *object) {
    return llvm::isa<llvm::ConstantPointerNull>(object);
  });
  const auto *memory =
      llvm::dyn_cast_or_null<llvm::LoadInst>(objects.empty() ? nullptr : objects.front());
  if (!memory || !memory->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return std::nullopt;
  const auto is_same = [&](const llvm::Value *object) {
    auto *other = llvm::dyn_cast<llvm::LoadInst>(object);
    return other && other->isIdenticalTo(memory);
  };
  llvm::APInt offset(
      module_.getDataLayout().getIndexTypeSizeInBits(memory->getPointerOperandType()), 0);
  const llvm::Value *image = memory->getPointerOperand()->stripAndAccumulateConstantOffsets(
      module_.getDataLayout(), offset,
      /*AllowNonInbounds=*/false);
  const auto *argument = llvm::dyn_cast<llvm::Argument>(image);
  if (!argument || !llvm::all_of(objects, is_same))
    return std::nullopt;
  if (reports_defined(*argument))
    return ShadowDistances{};
  llvm::Value *distance = query(MemoryExtent::bits, load_at_entry(*memory), false);
  if (may_be_null)
    distance = builder_.CreateSelect(
        builder_.CreateICmpULT(builder_.CreatePtrToInt(texel, builder_.getInt64Ty()),
                               builder_.getInt64(first_page)),
        builder_.getInt64(0), distance);
  return ShadowDistances{distance, nullptr, false};
}

// The distance for a pointer to global memory that phis and selects choose: the same phis and
// selects choose among distances. A query for each work-item would look up the object.
llvm::Value *Lowering::distance_of_any(llvm::Value *pointer) {
  llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  llvm::Value *base = llvm::getUnderlyingObject(pointer->stripPointerCasts(), /*MaxLookup=*/0);
  if (is_of_collectives(*base) || is_defined(*base) ||
      llvm::isa<llvm::Constant, llvm::AllocaInst>(base))
    return builder_.getInt64(0);
  if (llvm::Value *known = distances_.lookup(base))
    return known;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(base)) {
    builder_.SetInsertPoint(phi);
    llvm::PHINode *joined = builder_.CreatePHI(builder_.getInt64Ty(), phi->getNumIncomingValues());
    distances_[base] = joined; // before its operands: the phi may be of a loop
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
      joined->addIncoming(distance_of_any(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    return joined;
  }
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(base)) {
    llvm::Value *one = distance_of_any(select->getTrueValue()),
                *other = distance_of_any(select->getFalseValue());
    builder_.SetInsertPoint(select);
    return distances_[base] = builder_.CreateSelect(select->getCondition(), one, other);
  }
  if (member_of(*base))
    base = load_at_entry(llvm::cast<llvm::LoadInst>(*base));
  if (auto *made = llvm::dyn_cast<llvm::Instruction>(base))
    builder_.SetInsertPoint(*made->getInsertionPointAfterDef());
  return query(MemoryExtent::bits, base, false);
}

Lowering::ShadowDistances Lowering::shadow_of(llvm::Value *pointer) {
  llvm::Value *origin = pointer->stripPointerCasts();
  llvm::Value *base = llvm::getUnderlyingObject(origin, /*MaxLookup=*/0);
  if (is_of_collectives(*base) || is_defined(*base))
    return {};
  if (member_of(*base)) // member of a SYCL function object
    base = load_at_entry(llvm::cast<llvm::LoadInst>(*base));
  const unsigned space = origin->getType()->getPointerAddressSpace(),
                 base_space = base->getType()->getPointerAddressSpace();
  if (space == local_space || base_space == local_space)
    return {query(MemoryExtent::bits, base, true), query(MemoryExtent::computed_bits, base, true),
            true};
  if (llvm::isa<llvm::Constant, llvm::AllocaInst>(base) || base_space == private_space ||
      base_space == constant_space)
    return {};
  if (space == global_space)
    if (const auto shadow = shadow_of_image(origin))
      return *shadow;
  if (space == global_space && llvm::isa<llvm::PHINode, llvm::SelectInst>(base))
    return {distance_of_any(base), nullptr, false};
  if (space == global_space || base_space == global_space)
    return {query(MemoryExtent::bits, base, false), nullptr, false};
  return {query(MemoryExtent::bits, base, false), query(MemoryExtent::computed_bits, base, false),
          false};
}

// The shadow of a variable is addressed by integer arithmetic. LLVM takes any address derived from
// a variable by GEP for the variable itself. The same holds for a generic pointer that may turn out
// to point to a variable.
llvm::Value *Lowering::at(llvm::Value *pointer, llvm::Value *distance) {
  const bool may_be_variable =
      pointer->getType()->getPointerAddressSpace() == generic_space && has_local_variables_;
  if (!may_be_variable &&
      !llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0)))
    return builder_.CreateGEP(builder_.getInt8Ty(), pointer, distance);
  llvm::Value *number = builder_.CreatePtrToInt(pointer, builder_.getInt64Ty());
  return builder_.CreateIntToPtr(builder_.CreateAdd(number, distance), pointer->getType());
}

llvm::Value *Lowering::is_hosts(llvm::Value *distance) {
  return builder_.CreateIsNotNull(builder_.CreateAnd(distance, shadow_of_hosts));
}

llvm::CallInst *Lowering::query_writes(llvm::Value *pointer, llvm::Value *size) {
  llvm::CallInst *queried = call_primitive(
      builder_, Primitive::check_written, builder_.getInt64Ty(),
      {builder_.CreateAddrSpaceCast(pointer, builder_.getPtrTy(generic_space)), size});
  unseen(queried)->setOnlyReadsMemory(); // It writes nothing but shadow memory.
  return queried;
}

// The builder continues in a block that executes only if `condition` holds.
void Lowering::go_behind(llvm::Value *condition, llvm::Instruction &before, bool is_likely) {
  llvm::MDBuilder metadata(module_.getContext());
  llvm::Instruction *end =
      llvm::SplitBlockAndInsertIfThen(condition, &before, /*Unreachable=*/false,
                                      is_likely ? nullptr : metadata.createUnlikelyBranchWeights());
  end->setDebugLoc(before.getDebugLoc());
  end->getParent()->getSinglePredecessor()->getTerminator()->setDebugLoc(before.getDebugLoc());
  builder_.SetInsertPoint(end);
  builder_.SetCurrentDebugLocation(before.getDebugLoc());
}

llvm::Value *Lowering::load(llvm::CallInst &call, llvm::Value *distance,
                            llvm::Constant *without_shadow, bool is_local) {
  llvm::Type *type = without_shadow->getType();
  llvm::BasicBlock *without = call.getParent();
  if (!is_local)
    go_behind(builder_.CreateIsNotNull(distance), call, true);
  llvm::Value *place = at(call.getArgOperand(0), distance);
  const llvm::Align alignment = call.getParamAlign(0).valueOrOne();
  llvm::Value *loaded = without_shadow->isNullValue()
                            ? unseen(builder_.CreateAlignedLoad(type, place, alignment))
                            : load_bits(type, place, alignment);
  if (is_local)
    return loaded;
  if (!without_shadow->isNullValue()) // Computed bits exist for local memory only.
    loaded = load_again_if_hosts(call, distance, loaded);
  llvm::BasicBlock *with = builder_.GetInsertBlock();
  builder_.SetInsertPoint(call.getParent(), call.getParent()->begin());
  llvm::PHINode *joined = builder_.CreatePHI(type, 2);
  joined->addIncoming(loaded, with);
  joined->addIncoming(without_shadow, without);
  builder_.SetInsertPoint(&call);
  return joined;
}

// Memory written by the host becomes defined only on a query. So an undefined result is checked
// against the host's writes and loaded again.
llvm::Value *Lowering::load_again_if_hosts(llvm::CallInst &call, llvm::Value *distance,
                                           llvm::Value *loaded) {
  llvm::Type *type = loaded->getType();
  llvm::BasicBlock *before = builder_.GetInsertBlock();
  go_behind(builder_.CreateAnd(is_hosts(distance),
                               UndefinedValues::any(builder_, builder_.CreateNot(loaded))),
            *before->getTerminator(), false);
  llvm::BasicBlock *queried = builder_.GetInsertBlock(), *behind = queried->getSingleSuccessor();
  llvm::CallInst *away = query_writes(
      call.getArgOperand(0),
      builder_.getInt64(module_.getDataLayout().getTypeStoreSize(type).getFixedValue()));
  away->addFnAttr(llvm::Attribute::WillReturn);
  llvm::Value *again =
      load_bits(type, at(call.getArgOperand(0), away), call.getParamAlign(0).valueOrOne());
  builder_.SetInsertPoint(behind, behind->begin());
  llvm::PHINode *known = builder_.CreatePHI(type, 2);
  known->addIncoming(loaded, before);
  known->addIncoming(again, queried);
  return known;
}

void Lowering::store(llvm::CallInst &call, llvm::Value *distance, llvm::Value *value,
                     bool is_local) {
  if (!is_local)
    go_behind(builder_.CreateIsNotNull(distance), call, true);
  unseen(builder_.CreateAlignedStore(value, at(call.getArgOperand(0), distance),
                                     call.getParamAlign(0).valueOrOne()));
  builder_.SetInsertPoint(&call);
}

// For a word that many threads write: it is mostly defined already, and a store would take the
// cache line of its shadow from the other threads.
void Lowering::store_if_changed(llvm::CallInst &call, llvm::Value *distance, llvm::Value *value) {
  const llvm::Align alignment = call.getParamAlign(0).valueOrOne();
  llvm::Value *place = at(call.getArgOperand(0), distance);
  go_behind(builder_.CreateIsNotNull(distance), call, true);
  llvm::Value *before = unseen(builder_.CreateAlignedLoad(value->getType(), place, alignment));
  llvm::Value *differs = UndefinedValues::any(builder_, builder_.CreateXor(before, value));
  go_behind(differs, *builder_.GetInsertBlock()->getTerminator(), false);
  unseen(builder_.CreateAlignedStore(value, place, alignment));
  builder_.SetInsertPoint(&call);
}

// Whether all work-items of the launch write the same word, or it is the word of an atomic.
static bool is_shared_word(const llvm::CallInst &store, const llvm::DataLayout &layout) {
  if (store.hasFnAttr(shadow_of_atomic))
    return true;
  const llvm::Value *pointer = store.getArgOperand(0);
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  return llvm::isa<llvm::Argument>(
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
}

void Lowering::report(llvm::Value *site) {
  llvm::Value *item = linear_local_id(builder_);
  hide(call_primitive(
      builder_, Primitive::check_choice, builder_.getVoidTy(),
      {builder_.getInt64(~uint64_t{0}), builder_.getInt64(1), site, item, builder_.getInt64(0)}));
}

// ---- calls

// In shadow memory 1 means defined, so that new memory, which is 0, is undefined.
void Lowering::lower_load(llvm::CallInst &call, bool of_computed) {
  const ShadowDistances shadow = shadow_of(call.getArgOperand(0));
  llvm::Value *distance = of_computed ? shadow.computed : shadow.bits;
  llvm::Value *result = llvm::Constant::getNullValue(call.getType());
  if (distance && !call.use_empty()) {
    result = load(call, distance,
                  of_computed ? llvm::Constant::getNullValue(call.getType())
                              : llvm::Constant::getAllOnesValue(call.getType()),
                  shadow.is_local);
    if (!of_computed)
      result = builder_.CreateNot(result);
  }
  call.replaceAllUsesWith(result);
}

void Lowering::lower_store(llvm::CallInst &call) {
  llvm::Value *bits = call.getArgOperand(1), *computed = call.getArgOperand(2);
  const ShadowDistances shadow = shadow_of(call.getArgOperand(0));
  if (!shadow.bits)
    return;
  if (!shadow.is_local && !UndefinedValues::is_none(bits) && !UndefinedValues::is_none(computed)) {
    llvm::Value *fault = builder_.CreateAnd(UndefinedValues::any(builder_, bits), computed);
    if (shadow.computed) // It may be local memory.
      fault = builder_.CreateAnd(fault, builder_.CreateIsNull(shadow.computed));
    go_behind(fault, call, false);
    report(call.getArgOperand(3));
    builder_.SetInsertPoint(&call);
  }
  if (!shadow.is_local && is_shared_word(call, module_.getDataLayout()))
    store_if_changed(call, shadow.bits, builder_.CreateNot(bits));
  else
    store(call, shadow.bits, builder_.CreateNot(bits), shadow.is_local);
  if (!shadow.computed)
    return;
  llvm::Type *type = bits->getType();
  store(call, shadow.computed,
        builder_.CreateSelect(computed, computed_bytes(*type), llvm::Constant::getNullValue(type)),
        shadow.is_local);
}

// An update by the constant 0 is a read that wait loops use, so it is not reported. Any other
// update of undefined memory, or by an undefined operand, is.
void Lowering::lower_update(llvm::CallInst &call) {
  llvm::Value *bits = call.getArgOperand(2);
  const ShadowDistances shadow = shadow_of(call.getArgOperand(0));
  if (!shadow.bits ||
      (UndefinedValues::is_none(call.getArgOperand(1)) && UndefinedValues::is_none(bits)))
    return;
  llvm::Value *before = builder_.CreateNot(
      load(call, shadow.bits, llvm::Constant::getAllOnesValue(bits->getType()), shadow.is_local));
  go_behind(builder_.CreateIsNotNull(builder_.CreateOr(before, bits)), call, false);
  report(call.getArgOperand(3));
  call.moveBefore(builder_.GetInsertPoint()); // after the report, since it sets the bits to defined
  builder_.SetInsertPoint(&call);
  store(call, shadow.bits, llvm::Constant::getAllOnesValue(bits->getType()), shadow.is_local);
}

// All work-items reach a group copy, so it stays unconditional. Memory without shadow counts as
// defined as a source, and no shadow is stored for it as a destination. Copied data does not count
// as computed.
void Lowering::lower_copy(llvm::CallInst &call) {
  const ShadowDistances to = shadow_of(call.getArgOperand(0)),
                        from = shadow_of(call.getArgOperand(1));
  if (!to.bits)
    return;
  if (from.bits && !from.is_local)
    look_for_writes(call, from.bits);
  copy_shadow(call, to.bits, to.is_local, from, 0xff);
  if (to.computed)
    copy_shadow(call, to.computed, to.is_local, {}, 0);
}

// One work-item queries the host's writes to the source of a copy, before all reach the copy.
void Lowering::look_for_writes(llvm::CallInst &call, llvm::Value *distance) {
  const bool has_lines = call.getCalledFunction()->getName().ends_with(".lines");
  go_behind(
      builder_.CreateAnd(is_hosts(distance), builder_.CreateIsNull(linear_local_id(builder_))),
      call, false);
  auto argument = [&](unsigned index) { return call.getArgOperand(index); };
  llvm::Value *one = builder_.getInt64(1);
  auto up_to_last = [&](unsigned count, unsigned away) {
    return builder_.CreateMul(builder_.CreateSub(argument(count), one), argument(away));
  };
  llvm::Value *size =
      has_lines
          ? builder_.CreateAdd(builder_.CreateAdd(up_to_last(4, 8), up_to_last(3, 7)), argument(2))
          : builder_.CreateMul(builder_.CreateAdd(up_to_last(2, 4), one), argument(5));
  query_writes(argument(1), size);
  builder_.SetInsertPoint(&call);
}

// `otherwise`: the value of each shadow byte if the source has no such shadow.
void Lowering::copy_shadow(llvm::CallInst &call, llvm::Value *distance, bool is_local,
                           const ShadowDistances &from, uint8_t otherwise) {
  const bool has_lines = call.getCalledFunction()->getName().ends_with(".lines");
  llvm::SmallVector<llvm::Value *> arguments(call.args());
  const llvm::SmallVector<uint8_t> constant(bytes_of_constant, otherwise);
  llvm::Constant *bytes = llvm::ConstantDataArray::get(module_.getContext(), constant);
  auto *all = new llvm::GlobalVariable(module_, bytes->getType(), /*isConstant=*/true,
                                       llvm::GlobalValue::InternalLinkage, bytes, "check.plane",
                                       nullptr, llvm::GlobalValue::NotThreadLocal, constant_space);
  llvm::Value *zero = builder_.getInt64(0),
              *without = builder_.CreateAddrSpaceCast(all, arguments[1]->getType());
  llvm::Value *has_from = !from.bits      ? builder_.getFalse()
                          : from.is_local ? builder_.getTrue()
                                          : builder_.CreateIsNotNull(from.bits);
  const unsigned count = has_lines ? 3 : 2;
  if (!is_local)
    arguments[count] =
        builder_.CreateSelect(builder_.CreateIsNotNull(distance), arguments[count], zero);
  arguments[0] = at(arguments[0], distance);
  arguments[1] =
      builder_.CreateSelect(has_from, from.bits ? at(arguments[1], from.bits) : without, without);
  if (has_lines)
    for (unsigned number : {7u, 8u})
      arguments[number] = builder_.CreateSelect(has_from, arguments[number], zero);
  else
    arguments[4] = builder_.CreateSelect(has_from, arguments[4], zero);
  llvm::CallInst *copy = unseen(
      call_primitive(builder_, has_lines ? Primitive::group_copy_lines : Primitive::group_copy,
                     builder_.getVoidTy(), arguments));
  copy->setConvergent();
}

void Lowering::lower_check(llvm::CallInst &check) {
  llvm::Value *undefined = check.getArgOperand(0);
  if (UndefinedValues::is_none(undefined)) {
    check.eraseFromParent();
    return;
  }
  hide(&check);
  if (llvm::isa<llvm::Constant>(undefined))
    return;
  builder_.SetInsertPoint(&check);
  go_behind(builder_.CreateIsNotNull(undefined), check, false);
  check.moveBefore(builder_.GetInsertPoint());
}

void Lowering::run() {
  llvm::SmallVector<llvm::CallInst *> calls, checks;
  const llvm::SimplifyQuery query(module_.getDataLayout());
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call && call->getCalledFunction())
      if (is_of(FunctionFamily::undefined, *call->getCalledFunction()) ||
          call->getCalledFunction()->getName().starts_with(computed_load_name))
        calls.push_back(call);
  for (llvm::CallInst *call : calls) {
    const llvm::StringRef name = call->getCalledFunction()->getName();
    builder_.SetInsertPoint(call);
    if (name.starts_with(undefined_load_name) || name.starts_with(computed_load_name))
      lower_load(*call, name.starts_with(computed_load_name));
    else if (name.starts_with(undefined_store_name))
      lower_store(*call);
    else if (name.starts_with(undefined_update_name))
      lower_update(*call);
    else
      lower_copy(*call);
    call->eraseFromParent();
  }
  // Memory without shadow is now known to be defined, so more expressions fold.
  for (bool changes = true; changes;) {
    changes = false;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
      if (llvm::Value *simpler =
              llvm::simplifyInstruction(&instruction, query.getWithInstruction(&instruction))) {
        changes |= !instruction.use_empty();
        instruction.replaceAllUsesWith(simpler);
      }
  }
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    // before instrument-accesses, whose calls do not exist yet
    if (called_primitive(instruction) == Primitive::check_choice)
      checks.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *check : checks)
    lower_check(*check);
}

} // namespace

llvm::PreservedAnalyses LowerUndefinedPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  const llvm::Function *kernel = kernel_function(module);
  const PointerMembers members = kernel ? used_members(*kernel) : PointerMembers();
  record_pointer_members(module, members);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      Lowering(function, defined_arguments_,
               &function == kernel ? defined_members_ & members.only_read : 0)
          .run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
