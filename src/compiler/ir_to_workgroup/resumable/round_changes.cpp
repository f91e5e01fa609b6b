#include "compiler/ir_to_workgroup/resumable/round_changes.h"

#include "compiler/ir_to_workgroup/analyze/loop_slice.h"
#include "compiler/kernel_ir/primitives.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace lockstep::compiler {

namespace {

bool is_comparable(const llvm::Type &type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type))
    return is_comparable(*vector->getElementType());
  return type.isIntOrPtrTy() || type.isFloatingPointTy();
}

// A structure, a short array. None: its length is not known, or it is long.
std::optional<uint64_t> short_length(const llvm::AnyMemIntrinsic &intrinsic) {
  constexpr uint64_t longest = 256;
  auto *length = llvm::dyn_cast<llvm::ConstantInt>(intrinsic.getLength());
  if (!length || length->getValue().ugt(longest))
    return std::nullopt;
  return length->getZExtValue();
}

// How both sides may be read.
llvm::Align alignment_of(const llvm::AnyMemIntrinsic &block) {
  llvm::Align alignment = block.getDestAlign().valueOrOne();
  if (auto *copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&block))
    alignment = std::min(alignment, copy->getSourceAlign().valueOrOne());
  return alignment;
}

// A variable that nobody else can see, a volatile counter of a back-off for example. What it holds
// in between does not matter, only whether a round leaves it as the round before did.
llvm::AllocaInst *private_variable(llvm::StoreInst &store) {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(store.getPointerOperand());
  if (!variable || variable->getAllocatedType() != store.getValueOperand()->getType() ||
      !is_comparable(*variable->getAllocatedType()))
    return nullptr;
  for (const llvm::User *user : variable->users()) {
    auto *other = llvm::dyn_cast<llvm::StoreInst>(user);
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if (!llvm::isa<llvm::LoadInst>(user) && !(other && other->getValueOperand() != variable) &&
        !(intrinsic && intrinsic->isLifetimeStartOrEnd()))
      return nullptr;
  }
  return variable;
}

bool may_be_no_change(const llvm::Instruction &update) {
  auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(&update);
  return !operation || !operation->isFloatingPointOperation();
}

llvm::Type *written_type(const llvm::Instruction &write) {
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&write))
    return store->getValueOperand()->getType();
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&write))
    return swap->getNewValOperand()->getType();
  return write.getType();
}

llvm::Align alignment_of(const llvm::Instruction &write) {
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&write))
    return store->getAlign();
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&write))
    return swap->getAlign();
  return llvm::cast<llvm::AtomicRMWInst>(write).getAlign();
}

// As the fourth element is where a vector of three is stored.
bool is_undefined(llvm::Value *vector, unsigned index) {
  const llvm::Value *element = llvm::findScalarElement(vector, index);
  return element && llvm::isa<llvm::UndefValue>(element);
}

// Memory that collectives put their values in.
bool is_scratch(const llvm::Loop &loop, const llvm::Value *pointer) {
  const llvm::Value *object = llvm::getUnderlyingObject(pointer);
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (called_primitive(instruction) == Primitive::group_combine &&
          llvm::getUnderlyingObject(*written_by(instruction)) == object)
        return true;
  return false;
}

} // namespace

RoundChanges::RoundChanges(const Wait &wait, llvm::Instruction &place)
    : wait_(wait), loop_(*wait.loop), place_(place), builder_(place.getContext()) {
  find_writes();
  find_locations();
}

// ---- what the loop writes

void RoundChanges::find_writes() {
  for (llvm::BasicBlock *block : loop_.blocks())
    for (llvm::Instruction &instruction : *block) {
      auto written = written_by(instruction);
      if (!written || (*written && is_scratch(loop_, *written)))
        continue;
      if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
        if (may_be_no_change(instruction))
          updates_.push_back(&instruction);
        else
          always_ = true;
      } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (auto *variable = private_variable(*store))
          private_.insert(variable);
        else
          stores_.push_back(store);
      } else {
        take_in_call(instruction);
      }
    }
  // To compare before each store pays for a flag or two, not for the work of a kernel that does
  // all it does between two waits. That is compared if it may be the last thing that moves.
  constexpr unsigned few = 4, most = 256;
  spares_ = stores_.size() > few || !blocks_.empty();
  always_ |= stores_.size() > most || llvm::any_of(stores_, [](llvm::StoreInst *store) {
               return !is_comparable(*store->getValueOperand()->getType());
             });
}

// A copy is no change if it copies what it copied before to where it copied it.
void RoundChanges::take_in_call(llvm::Instruction &call) {
  auto source = read_by(call), destination = written_by(call);
  auto primitive = called_primitive(call);
  bool is_copy =
      llvm::isa<llvm::AnyMemTransferInst>(call) || (primitive && is_group_copy(*primitive));
  auto *intrinsic = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call);
  const bool is_comparable = intrinsic && !intrinsic->isVolatile();
  if (!is_copy) {
    if (is_comparable)
      blocks_.push_back(intrinsic);
    else
      always_ = true;
    return;
  }
  bool is_same_again = true;
  for (llvm::BasicBlock *block : loop_.blocks())
    for (llvm::Instruction &other : *block) {
      auto written = written_by(other);
      if (!written)
        continue;
      is_same_again &= *written && !may_meet(*source, *written) &&
                       (&other == &call || !may_meet(*destination, *written));
    }
  if (is_same_again)
    return;
  if (is_comparable)
    blocks_.push_back(intrinsic);
  else
    always_ = true;
}

void RoundChanges::find_locations() {
  llvm::MapVector<llvm::Value *, llvm::SmallVector<llvm::Instruction *, 2>> writes;
  auto take_in = [&](llvm::Instruction *write) {
    auto *pointer = const_cast<llvm::Value *>((*written_by(*write))->stripPointerCasts());
    if (loop_.isLoopInvariant(pointer) && written_type(*write)->isIntegerTy())
      writes[pointer].push_back(write);
  };
  for (llvm::Instruction *update : updates_)
    take_in(update);
  for (llvm::StoreInst *store : stores_)
    take_in(store);
  for (auto &[pointer, list] : writes) {
    llvm::Type *type = written_type(*list.front());
    if (list.size() < 2 ||
        llvm::any_of(list, [&](auto *write) { return written_type(*write) != type; }))
      continue;
    locations_.push_back({pointer, type, list, std::nullopt});
    for (llvm::Instruction *write : list) {
      llvm::erase(updates_, write);
      llvm::erase(stores_, write);
    }
  }
}

bool RoundChanges::has_nothing_but(const llvm::Instruction &access) const {
  return !always_ && stores_.empty() && blocks_.empty() && private_.empty() && locations_.empty() &&
         wait_.state.empty() &&
         llvm::all_of(updates_, [&](const llvm::Instruction *it) { return it == &access; });
}

// ---- code

llvm::AllocaInst *RoundChanges::make_variable(llvm::Type *type, const llvm::Twine &name) {
  llvm::BasicBlock &entry = place_.getFunction()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  auto *variable = at_entry.CreateAlloca(type, nullptr, name);
  at_entry.SetInsertPoint(&entry, std::next(variable->getIterator()));
  at_entry.CreateStore(llvm::Constant::getNullValue(type), variable);
  made_.push_back(variable);
  return variable;
}

// Where that is not known beforehand, an undefined element counts as some value, and never makes the
// answer undefined: then a launch that gets on could be taken for one that stands still.
llvm::Value *RoundChanges::element(llvm::Value *vector, unsigned index) {
  return builder_.CreateFreeze(builder_.CreateExtractElement(vector, index));
}

llvm::Value *RoundChanges::differ(llvm::Value *one, llvm::Value *other) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(one->getType())) {
    llvm::Value *any = builder_.getFalse();
    for (unsigned i = 0; i != vector->getNumElements(); ++i)
      if (!is_undefined(one, i) && !is_undefined(other, i))
        any = builder_.CreateOr(any, differ(element(one, i), element(other, i)));
    return any;
  }
  if (!one->getType()->isIntOrPtrTy()) {
    const llvm::DataLayout &layout = place_.getModule()->getDataLayout();
    llvm::Type *bits = builder_.getIntNTy(layout.getTypeSizeInBits(one->getType()));
    one = builder_.CreateBitCast(one, bits);
    other = builder_.CreateBitCast(other, bits);
  }
  return builder_.CreateICmpNE(one, other);
}

void RoundChanges::note(llvm::Value *differs) {
  auto *so_far = builder_.CreateLoad(builder_.getInt1Ty(), changed_);
  builder_.CreateStore(builder_.CreateOr(so_far, differs), changed_);
}

void RoundChanges::emit_updates() {
  for (llvm::Instruction *update : updates_) {
    builder_.SetInsertPoint(update->getNextNode());
    if (auto *operation = llvm::dyn_cast<llvm::AtomicRMWInst>(update))
      note(differ(operation, llvm::buildAtomicRMWValue(operation->getOperation(), builder_,
                                                       operation, operation->getValOperand())));
    else
      note(builder_.CreateExtractValue(update, 1));
  }
}

// What is emitted next stands before the write, and is done only in rounds that are watched where
// that spares.
void RoundChanges::begin_before(llvm::Instruction &write, llvm::DomTreeUpdater &updater,
                                llvm::LoopInfo &loops) {
  builder_.SetInsertPoint(&write);
  if (!spares_)
    return;
  const llvm::BasicBlock *head = write.getParent();
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      builder_.CreateLoad(builder_.getInt1Ty(), watched_), write.getIterator(),
      /*Unreachable=*/false, llvm::MDBuilder(write.getContext()).createUnlikelyBranchWeights(),
      &updater, &loops);
  splits_.push_back({head, then->getParent(), write.getParent()});
  builder_.SetInsertPoint(then);
}

// What the bytes from `offset` on are, and what they become.
void RoundChanges::compare(llvm::AnyMemIntrinsic &block, llvm::Value *offset, uint64_t bytes,
                           llvm::Align alignment) {
  llvm::Type *type = builder_.getIntNTy(static_cast<unsigned>(8 * bytes));
  auto load = [&](llvm::Value *base) {
    return builder_.CreateAlignedLoad(
        type, builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base, offset), alignment);
  };
  llvm::Value *before = load(block.getRawDest()), *after = nullptr;
  if (auto *copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&block))
    after = load(copy->getRawSource());
  else
    after = builder_.CreateMul(
        builder_.CreateZExt(llvm::cast<llvm::AnyMemSetInst>(block).getValue(), type),
        builder_.getInt(
            llvm::APInt::getSplat(static_cast<unsigned>(8 * bytes), llvm::APInt(8, 1))));
  note(differ(before, after));
}

// A copy or a fill that leaves all bytes as they are is none.
void RoundChanges::emit_short_block(llvm::AnyMemIntrinsic &block, uint64_t length) {
  const llvm::Align alignment = alignment_of(block);
  for (uint64_t offset = 0; offset != length;) {
    const llvm::Align here = llvm::commonAlignment(alignment, offset);
    const auto bytes = std::min<uint64_t>({8, here.value(), llvm::bit_floor(length - offset)});
    compare(block, builder_.getInt64(offset), bytes, here);
    offset += bytes;
  }
}

// The same in a loop: head, header, body and back, tail.
void RoundChanges::emit_long_block(llvm::AnyMemIntrinsic &block, llvm::DomTreeUpdater &updater,
                                   llvm::LoopInfo &loops) {
  llvm::Value *length = block.getLength();
  llvm::Align step = std::min(alignment_of(block), llvm::Align(8));
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(length))
    step = llvm::commonAlignment(step, known->getZExtValue());
  else
    step = llvm::Align(1);
  llvm::Instruction *behind = &*builder_.GetInsertPoint();
  llvm::BasicBlock *head = behind->getParent();
  llvm::BasicBlock *tail = llvm::SplitBlock(head, behind->getIterator(), &updater, &loops);
  llvm::LLVMContext &context = builder_.getContext();
  auto *header = llvm::BasicBlock::Create(context, "compare", head->getParent(), tail);
  auto *body = llvm::BasicBlock::Create(context, "compare.more", head->getParent(), tail);
  head->getTerminator()->setSuccessor(0, header);
  builder_.SetInsertPoint(header);
  auto *offset = builder_.CreatePHI(length->getType(), 2);
  builder_.CreateCondBr(builder_.CreateICmpULT(offset, length), body, tail);
  builder_.SetInsertPoint(body);
  compare(block, offset, step.value(), step);
  offset->addIncoming(llvm::ConstantInt::get(offset->getType(), 0), head);
  offset->addIncoming(
      builder_.CreateNUWAdd(offset, llvm::ConstantInt::get(offset->getType(), step.value())), body);
  builder_.CreateBr(header);
  using llvm::DominatorTree;
  updater.applyUpdates({{DominatorTree::Insert, head, header},
                        {DominatorTree::Insert, header, body},
                        {DominatorTree::Insert, header, tail},
                        {DominatorTree::Insert, body, header},
                        {DominatorTree::Delete, head, tail}});
  llvm::Loop *loop = loops.AllocateLoop();
  loops.getLoopFor(head)->addChildLoop(loop);
  loop->addBasicBlockToLoop(header, loops);
  loop->addBasicBlockToLoop(body, loops);
  splits_.push_back({head, header, body});
  splits_.push_back({head, tail, tail});
}

llvm::Value *RoundChanges::emit_replaced(const llvm::StoreInst &store) {
  return builder_.CreateAlignedLoad(store.getValueOperand()->getType(),
                                    const_cast<llvm::Value *>(store.getPointerOperand()),
                                    store.getAlign(), store.isVolatile());
}

void RoundChanges::emit_stores(llvm::DominatorTree &dominators, llvm::LoopInfo &loops) {
  llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  for (llvm::AnyMemIntrinsic *block : blocks_) {
    begin_before(*block, updater, loops);
    if (auto length = short_length(*block))
      emit_short_block(*block, *length);
    else
      emit_long_block(*block, updater, loops);
  }
  for (llvm::StoreInst *store : stores_) {
    begin_before(*store, updater, loops);
    note(differ(emit_replaced(*store), store->getValueOperand()));
  }
}

void RoundChanges::emit_state() {
  llvm::BasicBlock *latch = loop_.getLoopLatch();
  builder_.SetInsertPoint(place_.getParent() == latch ? &place_ : latch->getTerminator());
  for (llvm::PHINode *phi : wait_.state) {
    llvm::Value *next = phi->getIncomingValueForBlock(latch);
    note(is_comparable(*phi->getType()) ? differ(phi, next) : builder_.getTrue());
  }
}

// The first round counts as a change anyway.
void RoundChanges::emit_left_differently(llvm::AllocaInst &variable) {
  llvm::Type *type = variable.getAllocatedType();
  llvm::AllocaInst *last = make_variable(type, variable.getName() + ".last.round");
  llvm::Value *now = builder_.CreateAlignedLoad(type, &variable, variable.getAlign());
  note(differ(builder_.CreateLoad(type, last), now));
  builder_.CreateStore(now, last);
}

llvm::Value *RoundChanges::emit_watched() {
  auto callee = place_.getModule()->getOrInsertFunction(primitive_name(Primitive::watched),
                                                        builder_.getInt1Ty());
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setOnlyReadsMemory(); // and does not move across a suspension
  function->setDoesNotThrow();
  function->setWillReturn();
  return builder_.CreateCall(callee, {}, "is.watched");
}

// Only behind an access is the address known to be one. And only what a processor reads at once can
// be read atomically: else LLVM calls a library that is not there.
std::optional<llvm::Align>
RoundChanges::readable_at_place(const Location &location,
                                const llvm::DominatorTree &dominators) const {
  constexpr uint64_t longest = 8;
  const llvm::DataLayout &layout = place_.getModule()->getDataLayout();
  const uint64_t bytes = layout.getTypeStoreSize(location.type);
  if (bytes > longest || !llvm::isPowerOf2_64(bytes) ||
      8 * bytes != layout.getTypeSizeInBits(location.type))
    return std::nullopt;
  for (const llvm::Instruction *write : location.writes)
    if (alignment_of(*write).value() >= bytes && dominators.dominates(write, &place_))
      return alignment_of(*write);
  return std::nullopt;
}

llvm::Value *RoundChanges::emit_load(const Location &location) {
  auto *load = builder_.CreateAlignedLoad(location.type, location.pointer, *location.alignment);
  load->setAtomic(llvm::AtomicOrdering::Monotonic);
  return load;
}

void RoundChanges::emit_found_and_left(Location &location) {
  location.is_written = make_variable(builder_.getInt1Ty(), "is.written");
  location.left = make_variable(location.type, "left");
  builder_.SetInsertPoint(loop_.getLoopPreheader()->getTerminator());
  forget(location);
  for (llvm::Instruction *write : location.writes) {
    builder_.SetInsertPoint(write->getNextNode());
    llvm::Value *found = write, *left = nullptr;
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write)) {
      builder_.SetInsertPoint(store);
      left = store->getValueOperand();
      found = emit_replaced(*store);
    } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(write)) {
      found = builder_.CreateExtractValue(swap, 0);
      left = builder_.CreateSelect(builder_.CreateExtractValue(swap, 1), swap->getNewValOperand(),
                                   found);
    } else {
      auto *operation = llvm::cast<llvm::AtomicRMWInst>(write);
      left = llvm::buildAtomicRMWValue(operation->getOperation(), builder_, operation,
                                       operation->getValOperand());
    }
    auto *again = builder_.CreateLoad(builder_.getInt1Ty(), location.is_written);
    auto *first = builder_.CreateLoad(location.type, location.at_begin);
    builder_.CreateStore(builder_.CreateSelect(again, first, found), location.at_begin);
    builder_.CreateStore(left, location.left);
    builder_.CreateStore(builder_.getTrue(), location.is_written);
  }
}

void RoundChanges::emit_location(const Location &location) {
  auto *at_begin = builder_.CreateLoad(location.type, location.at_begin);
  if (location.alignment) {
    note(differ(at_begin, emit_load(location)));
    return;
  }
  note(differ(at_begin, builder_.CreateLoad(location.type, location.left)));
  forget(location);
}

// In a round that does not write it, both are the same; and no value is kept while it is suspended.
void RoundChanges::forget(const Location &location) {
  for (llvm::AllocaInst *variable : {location.at_begin, location.is_written, location.left})
    builder_.CreateStore(llvm::Constant::getNullValue(variable->getAllocatedType()), variable);
}

llvm::Value *RoundChanges::emit(llvm::DominatorTree &dominators, llvm::LoopInfo &loops) {
  if (always_)
    return builder_.getTrue();
  changed_ = make_variable(builder_.getInt1Ty(), "changed");
  builder_.SetInsertPoint(loop_.getLoopPreheader()->getTerminator());
  builder_.CreateStore(builder_.getTrue(), changed_);
  if (spares_)
    watched_ = make_variable(builder_.getInt1Ty(), "watched");
  for (Location &location : locations_) {
    location.alignment = readable_at_place(location, dominators);
    location.at_begin = make_variable(location.type, "at.begin");
    if (!location.alignment)
      emit_found_and_left(location);
  }
  emit_updates();
  emit_stores(dominators, loops);
  emit_state();
  builder_.SetInsertPoint(&place_);
  if (spares_)
    note(builder_.CreateNot(builder_.CreateLoad(builder_.getInt1Ty(), watched_)));
  for (llvm::AllocaInst *variable : private_)
    emit_left_differently(*variable);
  for (const Location &location : locations_)
    emit_location(location);
  auto *changed = builder_.CreateLoad(builder_.getInt1Ty(), changed_);
  builder_.CreateStore(builder_.getFalse(), changed_);
  return changed;
}

void RoundChanges::emit_begin_of_round() {
  builder_.SetInsertPoint(&place_);
  if (always_)
    return;
  for (const Location &location : locations_)
    if (location.alignment)
      builder_.CreateStore(emit_load(location), location.at_begin);
  if (spares_)
    builder_.CreateStore(emit_watched(), watched_);
}

} // namespace lockstep::compiler
