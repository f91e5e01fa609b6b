// Tracks undefined values through a kernel and checks where one decides something.
//
// Requires: one work-item's kernel, inlined, with variables in memory as the front end created
//   them, and the marks of mark-user-code.
// Ensures: each value has parallel shadow bits (shadow_bits.h), and each private variable whose
//   address does not escape has shadow memory (private_shadow.h). Where an undefined value may
//   decide a branch, an address or a collective, there is a call of __lockstep_check_choice. Shadow
//   accesses to global and local memory are placeholders (undefined_calls.h) for lower-undefined.
// Why here: the first pass that promotes variables to registers turns unwritten ones into `undef`
//   and folds it away: `int x; if (c) x = 1;` becomes `x` = 1. After that, nothing can be found.
//   Optimization then removes most of the inserted code, since nearly all values are defined.
#include "compiler/checks/undefined/passes.h"
#include "compiler/checks/undefined/promote_variables.h"

#include "abi/address_spaces.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"

#include "compiler/checks/common/check_sites.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/undefined/private_shadow.h"
#include "compiler/checks/undefined/shadow_bits.h"
#include "compiler/checks/undefined/undefined_calls.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/function_families.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/variable_names.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

namespace {

std::string image_function(const llvm::Twine &name) {
  return (prefix_of(FunctionFamily::image) + name).str();
}

class Tracking {
public:
  explicit Tracking(llvm::Function &function)
      : function_(function), module_(*function.getParent()), layout_(module_.getDataLayout()),
        private_shadow_(function), values_(layout_), sites_(module_),
        builder_(module_.getContext()) {}

  void run();

private:
  void visit(llvm::Instruction &instruction);
  void visit_load(llvm::LoadInst &load);
  void visit_store(llvm::StoreInst &store);
  void visit_update(llvm::Instruction &update, llvm::Value *pointer, llvm::Value *operand,
                    bool replaces);
  void visit_memory_intrinsic(llvm::MemIntrinsic &copy);
  void visit_call(llvm::CallInst &call);
  void visit_intrinsic(llvm::IntrinsicInst &call);
  void visit_move(llvm::CallInst &move);
  void visit_image(llvm::CallInst &access);
  void visit_image_write(llvm::CallInst &access, llvm::Value &place,
                         llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *value);
  void store_texel(llvm::Instruction &end, llvm::Value &place, llvm::Value &size,
                   llvm::Value &is_any, llvm::Value &store_site);
  bool visit_bits(llvm::CallInst &visited);
  void visit_swap(llvm::AtomicCmpXchgInst &swap);
  void visit_primitive(llvm::CallInst &call, Primitive primitive);

  // Placeholder calls stand for shadow accesses to memory that is not private.
  bool has_bits(const llvm::Value &pointer) const;
  ShadowBits load_bits(llvm::Value *pointer, llvm::Type &bits, llvm::Align alignment);
  void store_bits(llvm::Value *pointer, ShadowBits value, llvm::Align alignment, llvm::Value *site,
                  bool is_atomic = false);
  llvm::CallInst &record(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *site(const llvm::Instruction &at, AccessKind kind, const llvm::Value *decides,
                    const llvm::Value *pointer = nullptr);
  void check(const llvm::Instruction &at, AccessKind kind, llvm::Value *decides);
  void define(llvm::Instruction &result);

  llvm::Function &function_;
  llvm::Module &module_;
  const llvm::DataLayout &layout_;
  PrivateShadow private_shadow_;
  UndefinedValues values_;
  CheckSites sites_;
  llvm::IRBuilder<> builder_;
  llvm::Value *item_ = nullptr; // linear local id
  llvm::SmallVector<llvm::Instruction *> dead_;
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Value *>> replaced_;
};

// ---- places of the source

void add_name(std::string name, llvm::SmallVector<std::string, 4> &names) {
  if (!llvm::is_contained(names, name))
    names.push_back(std::move(name));
}

// Adds the source names of the variables that `value` is computed from: 'a', 'b'.
void add_names(const llvm::Value *value, unsigned depth, llvm::SmallVector<std::string, 4> &names) {
  constexpr unsigned most = 4; // names of a report
  if (depth > limits::search_depth || names.size() >= most)
    return;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(value)) {
    const llvm::Value *object = llvm::getUnderlyingObject(load->getPointerOperand());
    llvm::StringRef name = object->getName();
    if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
      name = name_in_source(*variable);
    else if (llvm::isa<llvm::AllocaInst>(object))
      name = name.split('.').first; // inlining renames `a` to `a.i`
    if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::Argument>(object) && !name.empty())
      add_name(name.str(), names);
    else if (const auto place = argument_pointer(*object); place && place->argument == 0)
      add_name("#" + std::to_string(place->byte), names);
  } else if (auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
             instruction && !llvm::isa<llvm::CallBase>(instruction)) {
    for (const llvm::Use &operand : instruction->operands())
      add_names(operand.get(), depth + 1, names);
  }
}

llvm::Value *Tracking::site(const llvm::Instruction &at, AccessKind kind,
                            const llvm::Value *decides, const llvm::Value *pointer) {
  CheckSite site{};
  site.kind = kind;
  site.argument = CheckSite::no_argument;
  if (pointer) {
    site.address_space = pointer->getType()->getPointerAddressSpace();
    set_argument(site, *llvm::getUnderlyingObject(pointer));
  }
  llvm::SmallVector<std::string, 4> names;
  if (decides) {
    site.size = static_cast<uint32_t>(layout_.getTypeStoreSize(decides->getType()));
    add_names(decides, 0, names);
  }
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return sites_.add(site, at, text);
}

// LLVM must not merge two of these calls: the merged call would have a site that differs between
// lanes.
llvm::CallInst &Tracking::record(llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = call_named(builder_, name, builder_.getVoidTy(), arguments);
  made->setCannotMerge();
  return *made;
}

// Inserts the check at `builder_`, before `at`.
void Tracking::check(const llvm::Instruction &at, AccessKind kind, llvm::Value *decides) {
  llvm::Value *bits = values_.of(decides).bits;
  if (!UndefinedValues::is_none(bits))
    call_primitive(
        builder_, Primitive::check_choice, builder_.getVoidTy(),
        {builder_.CreateSExt(UndefinedValues::any(builder_, bits), builder_.getInt64Ty()),
         builder_.getInt64(1), site(at, kind, decides), item_, builder_.getInt64(0)})
        ->setCannotMerge(); // as in tell()
}

// ---- memory

// The underlying object decides, not the address space of the pointer. Work-group variables of
// hierarchical kernels are local memory behind a private pointer. A function object passed by value
// is private memory behind a generic pointer: calls on it would keep it in memory, together with
// the addresses of local memory in it.
bool Tracking::has_bits(const llvm::Value &pointer) const {
  const llvm::Value *object = llvm::getUnderlyingObject(&pointer, /*MaxLookup=*/0);
  const auto *argument = llvm::dyn_cast<llvm::Argument>(object);
  if (llvm::isa<llvm::AllocaInst>(object) || (argument && argument->hasByValAttr()))
    return false;
  const unsigned space = pointer.getType()->getPointerAddressSpace(),
                 object_space = object->getType()->getPointerAddressSpace();
  if (space == private_space && object_space != local_space)
    return false;
  return space != constant_space && !is_of_collectives(*object);
}

ShadowBits Tracking::load_bits(llvm::Value *pointer, llvm::Type &bits, llvm::Align alignment) {
  if (const auto place = private_shadow_.of(pointer)) {
    llvm::Value *undefined = builder_.CreateAlignedLoad(&bits, place.bits, alignment),
                *computed = builder_.CreateAlignedLoad(&bits, place.computed, alignment);
    return {undefined, UndefinedValues::any(builder_, computed)};
  }
  if (!has_bits(*pointer) || !bits.isIntOrIntVectorTy() || bits.getScalarSizeInBits() % 8 != 0)
    return {llvm::Constant::getNullValue(&bits), builder_.getFalse()};
  llvm::CallInst *loaded = call_named(
      builder_, name_for(undefined_load_name, bits, pointer->getType()), &bits, {pointer});
  llvm::CallInst *computed = call_named(
      builder_, name_for(computed_load_name, bits, pointer->getType()), &bits, {pointer});
  for (llvm::CallInst *made : {loaded, computed}) {
    made->addParamAttr(0, llvm::Attribute::getWithAlignment(module_.getContext(), alignment));
    made->setOnlyReadsMemory();
    made->addFnAttr(llvm::Attribute::WillReturn);
  }
  return {loaded, UndefinedValues::any(builder_, computed)};
}

void Tracking::store_bits(llvm::Value *pointer, ShadowBits value, llvm::Align alignment,
                          llvm::Value *site, bool is_atomic) {
  llvm::Type *type = value.bits->getType();
  if (const auto place = private_shadow_.of(pointer)) {
    builder_.CreateAlignedStore(value.bits, place.bits, alignment);
    llvm::Value *computed =
        UndefinedValues::is_none(value.computed)
            ? llvm::Constant::getNullValue(type)
            : builder_.CreateSelect(value.computed, value.bits, llvm::Constant::getNullValue(type));
    builder_.CreateAlignedStore(computed, place.computed, alignment);
    return;
  }
  if (!has_bits(*pointer))
    return;
  if (type->isIntOrIntVectorTy() && type->getScalarSizeInBits() % 8 == 0) {
    llvm::CallInst &made = record(name_for(undefined_store_name, *type, pointer->getType()),
                                  {pointer, value.bits, value.computed, site});
    made.addParamAttr(0, llvm::Attribute::getWithAlignment(module_.getContext(), alignment));
    if (is_atomic)
      made.addFnAttr(llvm::Attribute::get(module_.getContext(), shadow_of_atomic));
    return;
  }
  // Other types are stored byte by byte, all of it as defined.
  const uint64_t size = layout_.getTypeStoreSize(type);
  for (uint64_t offset = 0; offset != size; ++offset)
    record(name_for(undefined_store_name, *builder_.getInt8Ty(), pointer->getType()),
           {builder_.CreateConstGEP1_64(builder_.getInt8Ty(), pointer, offset), builder_.getInt8(0),
            builder_.getFalse(), site});
}

void Tracking::define(llvm::Instruction &result) {
  if (llvm::Type *type = values_.type_of(*result.getType()))
    values_.set(result, {llvm::Constant::getNullValue(type), builder_.getFalse()});
}

void Tracking::visit_load(llvm::LoadInst &load) {
  llvm::Value *pointer = load.getPointerOperand();
  llvm::Type *type = values_.type_of(*load.getType());
  const bool is_table = pointer->getType()->getPointerAddressSpace() == constant_space;
  if (!is_table || load.hasMetadata(user_code))
    check(load, AccessKind::undefined_address, pointer);
  if (!type)
    return;
  if (load.hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return define(load);
  ShadowBits bits = load_bits(pointer, *type, load.getAlign());
  if (is_table && !load.hasMetadata(user_code)) // inside a builtin
    bits = values_.computed_from(builder_, *load.getType(), {pointer});
  values_.set(load, bits);
}

void Tracking::visit_store(llvm::StoreInst &store) {
  llvm::Value *pointer = store.getPointerOperand(), *value = store.getValueOperand();
  check(store, AccessKind::undefined_address, pointer);
  const ShadowBits bits = values_.of(value);
  if (bits.bits)
    store_bits(pointer, bits, store.getAlign(),
               site(store, AccessKind::undefined_store, value, pointer), store.isAtomic());
}

// An exchange returns the old value with its shadow bits. Undefined operands of other updates are
// reported at the update, so the result counts as defined.
void Tracking::visit_update(llvm::Instruction &update, llvm::Value *pointer, llvm::Value *operand,
                            bool replaces) {
  check(update, AccessKind::undefined_address, pointer);
  define(update);
  const ShadowBits bits = values_.of(operand);
  if (!bits.bits || !has_bits(*pointer))
    return;
  if (replaces)
    values_.set(update, load_bits(pointer, *bits.bits->getType(), llvm::Align(1)));
  llvm::Value *place = site(update, AccessKind::undefined_store, operand, pointer);
  llvm::Type *type = bits.bits->getType();
  if (replaces || !type->isIntegerTy())
    return store_bits(pointer, bits, llvm::Align(1), place, true);
  record(name_for(undefined_update_name, *type, pointer->getType()),
         {pointer, builder_.CreateBitOrPointerCast(operand, type), bits.bits, place});
}

// The success flag depends on the comparison with the old value. On success, memory takes the
// shadow bits of the new value.
void Tracking::visit_swap(llvm::AtomicCmpXchgInst &swap) {
  llvm::Value *pointer = swap.getPointerOperand();
  check(swap, AccessKind::undefined_address, pointer);
  define(swap);
  const ShadowBits expected = values_.of(swap.getCompareOperand()),
                   made = values_.of(swap.getNewValOperand());
  if (!made.bits || !has_bits(*pointer) || !made.bits->getType()->isIntegerTy())
    return;
  const ShadowBits was = load_bits(pointer, *made.bits->getType(), swap.getAlign());
  llvm::Value *decides = UndefinedValues::any(builder_, builder_.CreateOr(was.bits, expected.bits));
  llvm::Value *result = llvm::Constant::getNullValue(values_.type_of(*swap.getType()));
  result = builder_.CreateInsertValue(result, was.bits, 0);
  result = builder_.CreateInsertValue(result, decides, 1);
  values_.set(swap, {result, was.computed});
  builder_.SetInsertPoint(swap.getNextNode());
  llvm::Value *is_made = builder_.CreateExtractValue(&swap, 1);
  store_bits(pointer,
             {builder_.CreateSelect(is_made, made.bits, was.bits),
              builder_.CreateSelect(is_made, made.computed, builder_.getFalse())},
             swap.getAlign(),
             site(swap, AccessKind::undefined_store, swap.getNewValOperand(), pointer), true);
}

// A copy of bytes, or a fill with one value.
void Tracking::visit_memory_intrinsic(llvm::MemIntrinsic &copy) {
  llvm::Value *to = copy.getRawDest(), *length = copy.getLength();
  auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy);
  auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&copy);
  const auto to_place = private_shadow_.of(to);
  const auto from_place =
      transfer ? private_shadow_.of(transfer->getRawSource()) : PrivateShadow::Place{};
  if (!to_place && !has_bits(*to))
    return;
  if (to_place && from_place) {
    for (auto [one, other] : {std::pair(to_place.bits, from_place.bits),
                              std::pair(to_place.computed, from_place.computed)})
      builder_.CreateMemMove(one, copy.getDestAlign(), other, transfer->getSourceAlign(), length);
    return;
  }
  const bool from_unknown = !transfer || !has_bits(*transfer->getRawSource());
  if (to_place && from_unknown &&
      (!fill || UndefinedValues::is_none(values_.of(fill->getValue()).bits))) {
    builder_.CreateMemSet(to_place.bits, builder_.getInt8(0), length, copy.getDestAlign());
    return;
  }
  llvm::Value *place = site(copy, AccessKind::undefined_store, nullptr, to);
  auto move = [&](llvm::Value *offset, llvm::IntegerType *type) {
    auto at = [&](llvm::Value *pointer) {
      return builder_.CreateGEP(builder_.getInt8Ty(), pointer, offset);
    };
    auto shadow_at = [&](const PrivateShadow::Place &base,
                         llvm::Value *pointer) { // at the new address
      llvm::Value *address = at(pointer);
      return std::pair(address, base ? PrivateShadow::Place{at(base.bits), at(base.computed)}
                                     : PrivateShadow::Place{});
    };
    ShadowBits bits{llvm::Constant::getNullValue(type), builder_.getFalse()};
    if (fill) {
      const ShadowBits byte = values_.of(fill->getValue());
      if (!UndefinedValues::is_none(byte.bits))
        bits = {builder_.CreateSExt(UndefinedValues::any(builder_, byte.bits), type),
                byte.computed};
    } else if (from_place) {
      const auto from = shadow_at(from_place, transfer->getRawSource()).second;
      bits = {builder_.CreateAlignedLoad(type, from.bits, llvm::Align(1)),
              UndefinedValues::any(
                  builder_, builder_.CreateAlignedLoad(type, from.computed, llvm::Align(1)))};
    } else if (has_bits(*transfer->getRawSource())) {
      bits = load_bits(at(transfer->getRawSource()), *type, llvm::Align(1));
    }
    if (to_place) {
      const auto there = shadow_at(to_place, to).second;
      builder_.CreateAlignedStore(bits.bits, there.bits, llvm::Align(1));
      builder_.CreateAlignedStore(
          builder_.CreateSelect(bits.computed, bits.bits, llvm::Constant::getNullValue(type)),
          there.computed, llvm::Align(1));
    } else {
      store_bits(at(to), bits, llvm::Align(1), place);
    }
  };
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(length);
  if (constant && constant->getZExtValue() <= limits::words_in_line * sizeof(uint64_t)) {
    const uint64_t bytes = constant->getZExtValue();
    uint64_t offset = 0;
    for (uint64_t step : {8u, 4u, 2u, 1u})
      for (; bytes - offset >= step; offset += step)
        move(builder_.getInt64(offset), builder_.getIntNTy(unsigned(step * 8)));
    return;
  }
  llvm::Value *bytes = builder_.CreateZExtOrTrunc(length, builder_.getInt64Ty());
  llvm::Instruction *only_if_any =
      llvm::SplitBlockAndInsertIfThen(builder_.CreateIsNotNull(bytes), &copy, false);
  auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(bytes, only_if_any->getIterator());
  builder_.SetInsertPoint(body);
  builder_.SetCurrentDebugLocation(copy.getDebugLoc());
  move(index, builder_.getInt8Ty());
}

// ---- calls

void Tracking::visit_intrinsic(llvm::IntrinsicInst &intrinsic) {
  llvm::SmallVector<llvm::Value *> operands(intrinsic.args());
  switch (intrinsic.getIntrinsicID()) {
  case llvm::Intrinsic::lifetime_start: {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(intrinsic.getArgOperand(0));
    if (variable && private_shadow_.of(variable))
      private_shadow_.begin(*intrinsic.getNextNode(), *variable);
    return;
  }
  case llvm::Intrinsic::bswap:
  case llvm::Intrinsic::bitreverse: {
    const ShadowBits from = values_.of(operands[0]);
    return values_.set(
        intrinsic,
        {builder_.CreateUnaryIntrinsic(intrinsic.getIntrinsicID(), from.bits), from.computed});
  }
  case llvm::Intrinsic::is_constant:
  case llvm::Intrinsic::objectsize:
    return define(intrinsic);
  default:
    values_.set(intrinsic, values_.computed_from(builder_, *intrinsic.getType(), operands));
  }
}

void Tracking::visit_primitive(llvm::CallInst &primitive_call, Primitive primitive) {
  if (is_group_copy(primitive)) {
    for (llvm::Value *argument : primitive_call.args())
      check(primitive_call, AccessKind::undefined_collective, argument);
    builder_.SetInsertPoint(primitive_call.getNextNode());
    llvm::SmallVector<llvm::Value *> arguments(primitive_call.args());
    std::string name = undefined_copy_name.str();
    name += primitive == Primitive::group_copy ? ".elements" : ".lines";
    call_named(builder_, name, builder_.getVoidTy(), arguments)->setConvergent();
    return;
  }
  if (primitive == Primitive::sub_group_shuffle || primitive == Primitive::sub_group_broadcast)
    return visit_move(primitive_call);
  if (primitive == Primitive::reciprocal_sqrt)
    return values_.set(primitive_call, values_.computed_from(builder_, *primitive_call.getType(),
                                                             {primitive_call.getArgOperand(0)}));
  define(primitive_call);
}

// Shadow bits move with the value. An undefined lane number makes the result undefined.
void Tracking::visit_move(llvm::CallInst &move) {
  const ShadowBits from = values_.of(move.getArgOperand(0)),
                   lane = values_.of(move.getArgOperand(1));
  auto moved = [&](llvm::Value *bits) -> llvm::Value * {
    if (UndefinedValues::is_none(bits))
      return bits;
    auto *same = llvm::cast<llvm::CallInst>(move.clone());
    same->setArgOperand(0, bits);
    return builder_.Insert(same);
  };
  llvm::Value *bits = moved(from.bits), *computed = builder_.getFalse();
  llvm::Type *type = from.bits->getType();
  if (!UndefinedValues::is_none(from.bits) && !UndefinedValues::is_none(from.computed))
    computed = builder_.CreateIsNotNull(moved(builder_.CreateSExt(from.computed, type)));
  if (!UndefinedValues::is_none(lane.bits)) {
    llvm::Value *is_any = UndefinedValues::any(builder_, lane.bits);
    bits = builder_.CreateOr(bits, builder_.CreateSExt(is_any, type));
    computed = builder_.CreateOr(computed, is_any);
  }
  values_.set(move, {bits, computed});
}

// The first byte of a texel decides whether it is defined, since kernels and commands write whole
// texels. The border color is defined.
void Tracking::visit_image(llvm::CallInst &access) {
  llvm::StringRef name = access.getCalledFunction()->getName();
  define(access);
  if (!name.consume_front(prefix_of(FunctionFamily::image)) || name == "format")
    return;
  const bool is_write = access.getType()->isVoidTy();
  llvm::SmallVector<llvm::Value *> arguments(access.args());
  llvm::Value *value = is_write ? arguments.pop_back_val() : nullptr;
  for (llvm::Value *argument : arguments)
    check(access, AccessKind::undefined_address, argument);
  llvm::CallInst *place = call_named(builder_, image_function("place_" + name.rsplit('_').first),
                                     builder_.getPtrTy(global_space), arguments);
  place->setOnlyReadsMemory();
  llvm::Type *byte = builder_.getInt8Ty();
  if (!is_write) {
    llvm::Type *type = values_.type_of(*access.getType());
    llvm::Value *is_any =
        UndefinedValues::any(builder_, load_bits(place, *byte, llvm::Align(1)).bits);
    values_.set(access, {builder_.CreateSelect(is_any, llvm::Constant::getAllOnesValue(type),
                                               llvm::Constant::getNullValue(type)),
                         builder_.getFalse()});
    return;
  }
  visit_image_write(access, *place, arguments, value);
}

void Tracking::visit_image_write(llvm::CallInst &access, llvm::Value &place,
                                 llvm::ArrayRef<llvm::Value *> arguments, llvm::Value *value) {
  const ShadowBits bits = values_.of(value);
  llvm::Value *is_any = UndefinedValues::any(builder_, bits.bits);
  llvm::Value *store_site = site(access, AccessKind::undefined_store, value);
  if (!UndefinedValues::is_none(bits.bits) && !UndefinedValues::is_none(bits.computed))
    call_primitive(
        builder_, Primitive::check_choice, builder_.getVoidTy(),
        {builder_.CreateSExt(builder_.CreateAnd(is_any, bits.computed), builder_.getInt64Ty()),
         builder_.getInt64(1), store_site, item_, builder_.getInt64(0)});
  llvm::Value *size = builder_.getInt32(4), *is_inside = nullptr;
  if (access.getCalledFunction()->getName().contains("_word_")) {
    is_inside = builder_.CreateIsNotNull(&place);
  } else {
    llvm::CallInst *texel_bytes =
        call_named(builder_, image_function("texel_bytes"), builder_.getInt32Ty(), {arguments[1]});
    texel_bytes->setDoesNotAccessMemory();
    size = texel_bytes;
    llvm::CallInst *inside =
        call_named(builder_, image_function("inside_write"), builder_.getInt1Ty(), arguments);
    inside->setOnlyReadsMemory();
    is_inside = inside;
  }
  builder_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_inside, &access, false));
  store_texel(*builder_.GetInsertPoint(), place, *size, *is_any, *store_site);
  builder_.SetInsertPoint(&access);
}

// Marks all bytes of a texel as undefined, or none. If the launch knows the image format, only one
// of these stores remains.
void Tracking::store_texel(llvm::Instruction &end, llvm::Value &place, llvm::Value &size,
                           llvm::Value &is_any, llvm::Value &store_site) {
  llvm::BasicBlock *before = end.getParent(), *after = before->splitBasicBlock(&end);
  before->getTerminator()->eraseFromParent();
  auto make_block = [&] {
    auto *block = llvm::BasicBlock::Create(module_.getContext(), "", &function_, after);
    builder_.SetInsertPoint(block);
    builder_.SetCurrentDebugLocation(end.getDebugLoc());
    builder_.SetInsertPoint(builder_.CreateBr(after));
    return block;
  };
  auto store = [&](llvm::Value *at, unsigned bytes) {
    llvm::Type *type = builder_.getIntNTy(8 * bytes);
    store_bits(at, {builder_.CreateSExt(&is_any, type), builder_.getFalse()}, llvm::Align(1),
               &store_site);
  };
  llvm::BasicBlock *byte_by_byte = make_block(); // three channels
  auto *choice = llvm::SwitchInst::Create(&size, byte_by_byte, 5, before);
  choice->setDebugLoc(end.getDebugLoc());
  auto [body, index] =
      llvm::SplitBlockAndInsertSimpleForLoop(&size, byte_by_byte->getTerminator()->getIterator());
  builder_.SetInsertPoint(body);
  builder_.SetCurrentDebugLocation(end.getDebugLoc());
  store(builder_.CreateGEP(builder_.getInt8Ty(), &place, index), 1);
  for (unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    choice->addCase(builder_.getInt32(bytes), make_block());
    store(&place, bytes);
  }
}

// Calls that mark-user-code inserted. They are replaced after all instructions are visited.
bool Tracking::visit_bits(llvm::CallInst &visited) {
  const llvm::StringRef name =
      visited.getCalledFunction() ? visited.getCalledFunction()->getName() : "";
  llvm::Value *value = visited.arg_empty() ? nullptr : visited.getArgOperand(0);
  if (name.starts_with(bits_of_name)) {
    replaced_.push_back({&visited, values_.of(value).bits});
    define(visited);
  } else if (name.starts_with(computed_of_name)) {
    replaced_.push_back({&visited, values_.of(value).computed});
    define(visited);
  } else if (name.starts_with(with_bits_name)) {
    replaced_.push_back({&visited, value});
    values_.set(visited, {visited.getArgOperand(1), visited.getArgOperand(2)});
  } else {
    return false;
  }
  return true;
}

void Tracking::visit_call(llvm::CallInst &visited) {
  if (visit_bits(visited))
    return;
  if (auto primitive = called_primitive(visited))
    return visit_primitive(visited, *primitive);
  if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&visited))
    return visit_memory_intrinsic(*copy);
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&visited))
    return visit_intrinsic(*intrinsic);
  const llvm::Function *callee = visited.getCalledFunction();
  if (callee && callee->getName().starts_with(collective_use_name)) {
    check(visited, AccessKind::undefined_collective, visited.getArgOperand(0));
    return dead_.push_back(&visited);
  }
  if (callee && is_of(FunctionFamily::image, *callee))
    return visit_image(visited);
  if (visited.doesNotAccessMemory() && !visited.getType()->isVoidTy()) {
    llvm::SmallVector<llvm::Value *> operands(visited.args());
    return values_.set(visited, values_.computed_from(builder_, *visited.getType(), operands));
  }
  define(visited);
}

void Tracking::visit(llvm::Instruction &instruction) {
  builder_.SetInsertPoint(&instruction);
  builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
  if (values_.visit(instruction))
    return;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return visit_load(*load);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return visit_store(*store);
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return visit_update(*update, update->getPointerOperand(), update->getValOperand(),
                        update->getOperation() == llvm::AtomicRMWInst::Xchg);
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return visit_swap(*swap);
  if (const auto product = atomic_multiply(instruction))
    return visit_update(instruction, product->pointer, product->value, false);
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return visit_call(*call);
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
  auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction);
  if (instruction.hasMetadata(user_code) && ((branch && branch->isConditional()) || choice))
    check(instruction, AccessKind::undefined_branch,
          branch ? branch->getCondition() : choice->getCondition());
  else
    define(instruction); // a freeze
}

void Tracking::run() {
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.SetCurrentDebugLocation({});
  item_ = linear_local_id(builder_);
  llvm::SmallVector<llvm::Instruction *> instructions;
  llvm::ReversePostOrderTraversal<llvm::Function *> blocks(&function_);
  for (llvm::BasicBlock *block : blocks)
    for (llvm::Instruction &instruction : *block)
      instructions.push_back(&instruction);
  llvm::Instruction *first = &*function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  for (llvm::AllocaInst *variable : private_shadow_.variables())
    private_shadow_.begin(*first, *variable);
  for (llvm::Instruction *instruction : instructions)
    visit(*instruction);
  values_.finish_joins();
  private_shadow_.finish_joins();
  for (llvm::Instruction *instruction : dead_)
    instruction->eraseFromParent();
  // One call may be an operand of another, so the last one is replaced first.
  for (auto [instruction, value] : llvm::reverse(replaced_)) {
    instruction->replaceAllUsesWith(value);
    instruction->eraseFromParent();
  }
}

} // namespace

llvm::PreservedAnalyses TrackUndefinedPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::removeUnreachableBlocks(function);
    promote_pointers(function);
    Tracking(function).run();
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
