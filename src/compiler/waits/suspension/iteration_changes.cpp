#include "compiler/waits/suspension/iteration_changes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/suspension/out_of_line_writes.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

bool is_comparable(const llvm::Type &type) {
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type))
    return is_comparable(*vector->getElementType());
  return type.isIntOrPtrTy() || type.isFloatingPointTy();
}

// A variable that no other work-item can access, such as a volatile back-off counter. Its
// intermediate values do not matter, only whether two iterations leave the same value.
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

} // namespace

IterationChanges::IterationChanges(const Wait &wait, llvm::Instruction &place,
                                   KernelSum &kernel_sum, llvm::AllocaInst *written_by_calls)
    : wait_(wait), loop_(*wait.loop), place_(place), builder_(place.getContext()),
      kernel_sum_(kernel_sum), sums_(*place.getFunction(), kernel_sum.names),
      written_by_calls_(written_by_calls) {
  builder_.SetNoSanitizeMetadata(); // not an access of the kernel, so no race (check/)
  find_writes();
  find_locations();
  for (llvm::Instruction *update : updates_)
    if (is_alone(*update))
      alone_.insert(update);
  for (llvm::StoreInst *store : stores_)
    if (is_alone(*store))
      alone_.insert(store);
}

// ---- what the loop writes

// As written_by(), without the additions to the sum that loops around this one have inserted.
std::optional<const llvm::Value *>
IterationChanges::kernel_writes(const llvm::Instruction &instruction) const {
  auto written = written_by(instruction);
  const bool is_sum = kernel_sum_.variable && written == kernel_sum_.variable;
  return is_sum ? std::nullopt : written;
}

void IterationChanges::find_writes() {
  for (llvm::BasicBlock *block : loop_.blocks())
    for (llvm::Instruction &instruction : *block) {
      auto written = kernel_writes(instruction);
      if (!written || (*written && (is_scratch(loop_, *written) || is_forgotten(*written))))
        continue;
      if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) {
        updates_.push_back(&instruction);
      } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        if (auto *variable = private_variable(*store))
          private_.insert(variable);
        else
          stores_.push_back(store);
      } else {
        take_in_call(instruction);
      }
    }
  // Comparing before each store pays off for a flag or two. It does not for a kernel that does all
  // its work between two waits; those stores are compared only while a deadlock is looked for.
  spares_ = stores_.size() > limits::recomputed_code / 2 || !blocks_.empty() || !calls_.empty();
}

// A copy changes nothing if it copies the same data to the same location again.
void IterationChanges::take_in_call(llvm::Instruction &call) {
  if (!is_block(call)) {
    const CallWrites writes = writes_of(call);
    if (writes == CallWrites::reports)
      calls_.push_back(llvm::cast<llvm::CallInst>(&call));
    always_ |= writes == CallWrites::unknown;
    return;
  }
  auto *fill = llvm::dyn_cast<llvm::AnyMemSetInst>(&call);
  bool is_same_again = !fill;
  if (!fill) {
    auto source = read_by(call), destination = written_by(call);
    for (llvm::BasicBlock *block : loop_.blocks())
      for (llvm::Instruction &other : *block)
        if (auto written = kernel_writes(other))
          is_same_again &= *written && !may_meet(*source, *written) &&
                           (&other == &call || !may_meet(*destination, *written));
  }
  if (!is_same_again)
    blocks_.push_back(&call);
}

// True for a variable whose lifetime starts in each iteration.
bool IterationChanges::is_forgotten(const llvm::Value *pointer) const {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0));
  return variable && llvm::any_of(variable->users(), [&](const llvm::User *user) {
           auto *begin = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user);
           return begin && begin->getIntrinsicID() == llvm::Intrinsic::lifetime_start &&
                  loop_.contains(begin);
         });
}

// True if the write runs at most once per iteration, and no other write is known to alias it. Other
// loop-invariant addresses are assumed to be different locations. If two of them alias, comparing
// each with the value that it replaces is still useful.
bool IterationChanges::is_alone(const llvm::Instruction &write) const {
  const llvm::BasicBlock *block = write.getParent();
  for (const llvm::Loop *inner : loop_.getSubLoops())
    if (inner->contains(block))
      return false;
  const llvm::Value *pointer = *written_by(write);
  const bool is_fixed = loop_.isLoopInvariant(pointer);
  for (const llvm::BasicBlock *other_block : loop_.blocks())
    for (const llvm::Instruction &other : *other_block) {
      auto written = kernel_writes(other);
      if (&other == &write || !written)
        continue;
      if (!*written) {
        if (writes_of(other) != CallWrites::nothing)
          return false;
      } else if (!(is_fixed && loop_.isLoopInvariant(*written) && *written != pointer) &&
                 may_meet(pointer, *written)) {
        return false;
      }
    }
  return true;
}

void IterationChanges::find_locations() {
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

bool IterationChanges::has_nothing_but(const llvm::Instruction &access) const {
  return !always_ && stores_.empty() && blocks_.empty() && private_.empty() && locations_.empty() &&
         calls_.empty() && wait_.state.empty() &&
         llvm::all_of(updates_, [&](const llvm::Instruction *it) { return it == &access; });
}

// ---- code

llvm::AllocaInst *IterationChanges::make_variable(llvm::Type *type, const llvm::Twine &name) {
  // Set before the loop, not at the entry: otherwise a loop around this one would carry the value.
  llvm::BasicBlock &entry = place_.getFunction()->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  auto *variable = at_entry.CreateAlloca(type, nullptr, name);
  llvm::IRBuilder<> before_loop(loop_.getLoopPreheader()->getTerminator());
  before_loop.CreateStore(llvm::Constant::getNullValue(type), variable);
  made_.push_back(variable);
  return variable;
}

void IterationChanges::note(llvm::Value *differs, llvm::AllocaInst *in) {
  auto *so_far = builder_.CreateLoad(builder_.getInt1Ty(), in);
  builder_.CreateStore(builder_.CreateOr(so_far, differs), in);
}

void IterationChanges::emit_updates() {
  for (llvm::Instruction *update : updates_) {
    const bool is_alone = alone_.contains(update);
    if (!is_alone)
      sum_up(*update);
    if (!is_alone && spares_)
      continue;
    builder_.SetInsertPoint(update->getNextNode());
    llvm::AllocaInst *in = is_alone ? changed_ : touched_;
    if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(update)) {
      note(builder_.CreateExtractValue(swap, 1), in);
      continue;
    }
    const Update values = emit_update(builder_, *update);
    note(differ(builder_, values.before, values.after), in);
    if (values.is_unsure)
      note(values.is_unsure, in);
  }
}

void IterationChanges::emit_stores() {
  for (llvm::ArrayRef<llvm::StoreInst *> rest = stores_; !rest.empty();) {
    const size_t count = spares_ && alone_.contains(rest.front()) ? run_of_stores(rest) : 1;
    emit_stores(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  for (llvm::Instruction *block : blocks_)
    sum_up(*block);
}

// The number of stores, in program order, without another access between them, so that one branch
// on `watched` serves all. They are few because their values stay live until the last store.
size_t IterationChanges::run_of_stores(llvm::ArrayRef<llvm::StoreInst *> stores) const {
  stores = stores.take_front(limits::chains_at_once);
  size_t count = 1;
  for (const llvm::Instruction *next = stores.front()->getNextNode(); next && count < stores.size();
       next = next->getNextNode())
    if (next == stores[count] && alone_.contains(next))
      ++count;
    else if (next->mayReadOrWriteMemory())
      break;
  return count;
}

void IterationChanges::emit_stores(llvm::ArrayRef<llvm::StoreInst *> run) {
  const bool is_alone = alone_.contains(run.front());
  if (!is_alone)
    sum_up(*run.front());
  if (!is_alone && spares_)
    return;
  for (llvm::StoreInst *store : run.drop_back())
    store->moveBefore(run.back()->getIterator());
  builder_.SetInsertPoint(spares_ ? &sums_.split_before(*run.front(), watched_) : run.front());
  for (llvm::StoreInst *store : run)
    note(differ(builder_, emit_replaced(builder_, *store), store->getValueOperand()),
         is_alone ? changed_ : touched_);
}

void IterationChanges::emit_calls() {
  for (llvm::CallInst *call : calls_) {
    builder_.SetInsertPoint(call);
    watch_call(*call, builder_.CreateLoad(builder_.getInt1Ty(), watched_), sums_,
               [&](const llvm::Value *pointer) { return is_forgotten(pointer); });
  }
}

void IterationChanges::emit_state() {
  llvm::BasicBlock *latch = loop_.getLoopLatch();
  builder_.SetInsertPoint(place_.getParent() == latch ? &place_ : latch->getTerminator());
  for (llvm::PHINode *phi : wait_.state) {
    llvm::Value *next = phi->getIncomingValueForBlock(latch);
    note(is_comparable(*phi->getType()) ? differ(builder_, phi, next) : builder_.getTrue(),
         changed_);
  }
}

// The first iteration counts as a change anyway.
void IterationChanges::emit_left_differently(llvm::AllocaInst &variable) {
  llvm::Type *type = variable.getAllocatedType();
  llvm::AllocaInst *last = make_variable(type, variable.getName() + ".last.round");
  llvm::Value *now = builder_.CreateAlignedLoad(type, &variable, variable.getAlign());
  note(differ(builder_, builder_.CreateLoad(type, last), now), changed_);
  builder_.CreateStore(now, last);
}

llvm::Value *IterationChanges::emit_watched() {
  auto callee = declare_primitive(*place_.getModule(), Primitive::watched, builder_.getInt1Ty());
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setOnlyReadsMemory(); // it must not move across a suspension
  function->setDoesNotThrow();
  function->setWillReturn();
  return builder_.CreateCall(callee, {}, "is.watched");
}

// The address is known to be valid only behind an access to it. The processor must read the
// location at once, because otherwise LLVM calls an atomic library function, which is not
// available.
std::optional<llvm::Align>
IterationChanges::readable_at_place(const Location &location,
                                    const llvm::DominatorTree &dominators) const {
  const llvm::DataLayout &layout = place_.getModule()->getDataLayout();
  const uint64_t bytes = layout.getTypeStoreSize(location.type);
  if (bytes > sizeof(uint64_t) || !llvm::isPowerOf2_64(bytes) ||
      8 * bytes != layout.getTypeSizeInBits(location.type))
    return std::nullopt;
  for (const llvm::Instruction *write : location.writes)
    if (alignment_of(*write).value() >= bytes && dominators.dominates(write, &place_))
      return alignment_of(*write);
  return std::nullopt;
}

llvm::Value *IterationChanges::emit_load(const Location &location) {
  auto *load = builder_.CreateAlignedLoad(location.type, location.pointer, *location.alignment);
  load->setAtomic(llvm::AtomicOrdering::Monotonic);
  return load;
}

void IterationChanges::emit_found_and_left(Location &location) {
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
      found = emit_replaced(builder_, *store);
    } else {
      const Update update = emit_update(builder_, *write);
      found = update.before;
      left = update.after;
    }
    auto *again = builder_.CreateLoad(builder_.getInt1Ty(), location.is_written);
    auto *first = builder_.CreateLoad(location.type, location.at_begin);
    builder_.CreateStore(builder_.CreateSelect(again, first, found), location.at_begin);
    builder_.CreateStore(left, location.left);
    builder_.CreateStore(builder_.getTrue(), location.is_written);
  }
}

void IterationChanges::emit_location(const Location &location) {
  auto *at_begin = builder_.CreateLoad(location.type, location.at_begin);
  if (location.alignment) {
    note(differ(builder_, at_begin, emit_load(location)), changed_);
    return;
  }
  note(differ(builder_, at_begin, builder_.CreateLoad(location.type, location.left)), changed_);
  forget(location);
}

// Makes both values equal for an iteration without a write, and keeps no value live across the
// suspension.
void IterationChanges::forget(const Location &location) {
  for (llvm::AllocaInst *variable : {location.at_begin, location.is_written, location.left})
    builder_.CreateStore(llvm::Constant::getNullValue(variable->getAllocatedType()), variable);
}

void IterationChanges::make_sum() {
  watched_ = make_variable(builder_.getInt1Ty(), "watched");
  touched_ = make_variable(builder_.getInt1Ty(), "touched");
  if (!kernel_sum_.variable) {
    llvm::BasicBlock &entry = place_.getFunction()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
    kernel_sum_.variable = at_entry.CreateAlloca(builder_.getInt64Ty(), nullptr, "sum");
  }
  if (llvm::any_of(kernel_sum_.loops, [&](auto *other) { return other->contains(&loop_); })) {
    before_iteration_ = make_variable(builder_.getInt64Ty(), "before.iteration");
  } else {
    builder_.SetInsertPoint(loop_.getLoopPreheader()->getTerminator());
    builder_.CreateStore(builder_.getInt64(0), kernel_sum_.variable);
  }
  kernel_sum_.loops.push_back(&loop_);
}

// Adds the write to the sum in watched iterations of this loop, in addition to those of other
// loops.
void IterationChanges::sum_up(llvm::Instruction &write) {
  llvm::BranchInst *&branch = kernel_sum_.writes[&write];
  if (!branch) {
    branch = &sums_.add(write, watched_, kernel_sum_.variable);
    return;
  }
  builder_.SetInsertPoint(branch);
  branch->setCondition(builder_.CreateOr(branch->getCondition(),
                                         builder_.CreateLoad(builder_.getInt1Ty(), watched_)));
}

// Adds the sums, or `touched` in their place. The calls' own sum is not reset, because surrounding
// loops read it, too.
void IterationChanges::emit_sums() {
  builder_.SetInsertPoint(&place_);
  if (!watched_)
    return;
  auto *is_watched = builder_.CreateLoad(builder_.getInt1Ty(), watched_);
  note(spares_ ? builder_.CreateNot(is_watched)
               : builder_.CreateAnd(builder_.CreateNot(is_watched),
                                    builder_.CreateLoad(builder_.getInt1Ty(), touched_)),
       changed_);
  llvm::Value *sum = builder_.CreateLoad(builder_.getInt64Ty(), kernel_sum_.variable);
  if (before_iteration_)
    sum = builder_.CreateSub(sum, builder_.CreateLoad(builder_.getInt64Ty(), before_iteration_));
  if (before_calls_) { // the loop may undo the writes of a call
    auto *before = builder_.CreateLoad(builder_.getInt64Ty(), before_calls_);
    auto *now = builder_.CreateLoad(builder_.getInt64Ty(), written_by_calls_);
    sum = builder_.CreateAdd(sum, builder_.CreateSub(now, before));
  }
  note(builder_.CreateIsNotNull(sum), changed_);
}

llvm::Value *IterationChanges::emit(llvm::DominatorTree &dominators, llvm::LoopInfo &loops) {
  if (always_)
    return builder_.getTrue();
  llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  sums_.set_analyses(&updater, &loops);
  changed_ = make_variable(builder_.getInt1Ty(), "changed");
  builder_.SetInsertPoint(loop_.getLoopPreheader()->getTerminator());
  builder_.CreateStore(builder_.getTrue(), changed_);
  if (spares_ || alone_.size() != updates_.size() + stores_.size())
    make_sum();
  if (!calls_.empty())
    before_calls_ = make_variable(builder_.getInt64Ty(), "before.calls");
  for (Location &location : locations_) {
    location.alignment = readable_at_place(location, dominators);
    location.at_begin = make_variable(location.type, "at.begin");
    if (!location.alignment)
      emit_found_and_left(location);
  }
  emit_updates();
  emit_stores();
  emit_calls();
  emit_state();
  emit_sums();
  builder_.SetInsertPoint(&place_);
  for (llvm::AllocaInst *variable : private_)
    emit_left_differently(*variable);
  for (const Location &location : locations_)
    emit_location(location);
  auto *changed = builder_.CreateLoad(builder_.getInt1Ty(), changed_);
  builder_.CreateStore(builder_.getFalse(), changed_);
  sums_.set_analyses(nullptr, nullptr);
  return changed;
}

void IterationChanges::emit_begin_of_iteration() {
  builder_.SetInsertPoint(&place_);
  if (always_)
    return;
  for (const Location &location : locations_)
    if (location.alignment)
      builder_.CreateStore(emit_load(location), location.at_begin);
  if (!watched_)
    return;
  builder_.CreateStore(emit_watched(), watched_);
  if (before_iteration_)
    builder_.CreateStore(builder_.CreateLoad(builder_.getInt64Ty(), kernel_sum_.variable),
                         before_iteration_);
  else
    builder_.CreateStore(builder_.getInt64(0), kernel_sum_.variable);
  builder_.CreateStore(builder_.getFalse(), touched_);
  if (before_calls_)
    builder_.CreateStore(builder_.CreateLoad(builder_.getInt64Ty(), written_by_calls_),
                         before_calls_);
}

} // namespace lockstep::compiler
