// Detects whether a kernel waits, and marks the waits.
//
// Requires: the kernel after scalar optimization.
// Ensures: if a loop waits (analysis/waits.h), the kernel gets the coroutine form (form.h) and
// these calls:
// - `__lockstep_seen(address, value, size)` follows each access that the loop's end depends on.
// - `__lockstep_wait(site, changed)` is where the loop is suspended, usually on the back edge
//   (analysis/suspension_points.h). `changed` is true if the iteration changed something that may
//   end the loop without other work-items (iteration_changes.h).
// - `__lockstep_before_lock(lock)`: a whole group may stop here (analysis/lock_entries.h).
//
// In any kernel, `__lockstep_serial_begin()` and `__lockstep_serial_end()` enclose code that lanes
// execute one at a time (analysis/serial_regions.h). A WantedForm may force a form.
// The kernel is suspended per work-group where possible (analysis/group_waits.h), with barriers
// inserted around its waits, and otherwise per sub-group. "lockstep-lanes-wait-for-each-other"
// means that lanes must not hold each other back (analysis/wait_lanes.h);
// "lockstep-waits-are-limited" that all these waits also end by themselves.
//
// Position: before the lanes stage: masks would hide what a loop waits for, and the number of lanes
// depends on the result.
#include "compiler/waits/suspension/passes.h"

#include "abi/address_spaces.h"

#include "abi/resumable_abi.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/waits/analysis/group_waits.h"
#include "compiler/waits/analysis/lock_entries.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/analysis/retry_loops.h"
#include "compiler/waits/analysis/serial_regions.h"
#include "compiler/waits/analysis/suspension_points.h"
#include "compiler/waits/analysis/wait_lanes.h"
#include "compiler/waits/analysis/waits.h"
#include "compiler/waits/suspension/iteration_changes.h"
#include "compiler/waits/suspension/out_of_line_writes.h"
#include "compiler/waits/suspension/suspension_sites.h"
#include "compiler/work_item/passes.h"
#include "kernel_ir/check_attributes.h"
#include "kernel_ir/form.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

namespace {

constexpr llvm::StringLiteral required_size_metadata = "intel_reqd_sub_group_size";

llvm::Type *type_of(llvm::Instruction &access) {
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    return swap->getNewValOperand()->getType();
  return access.getType();
}

using Seen = llvm::DenseMap<const llvm::Instruction *, llvm::CallInst *>;

// The only exit of a pure wait, as a comparison of the value read with `wanted`.
struct End {
  EndsBy by;
  llvm::Value *wanted;
};

std::optional<EndsBy> ends_by(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_EQ:
    return EndsBy::equal;
  case llvm::CmpInst::ICMP_NE:
    return EndsBy::not_equal;
  case llvm::CmpInst::ICMP_ULT:
    return EndsBy::less;
  case llvm::CmpInst::ICMP_ULE:
    return EndsBy::at_most;
  case llvm::CmpInst::ICMP_UGT:
    return EndsBy::greater;
  case llvm::CmpInst::ICMP_UGE:
    return EndsBy::at_least;
  case llvm::CmpInst::ICMP_SLT:
    return EndsBy::signed_less;
  case llvm::CmpInst::ICMP_SLE:
    return EndsBy::signed_at_most;
  case llvm::CmpInst::ICMP_SGT:
    return EndsBy::signed_greater;
  case llvm::CmpInst::ICMP_SGE:
    return EndsBy::signed_at_least;
  default:
    return std::nullopt;
  }
}

llvm::Value *without_freeze(llvm::Value *value) {
  while (auto *freeze = llvm::dyn_cast<llvm::FreezeInst>(value))
    value = freeze->getOperand(0);
  return value;
}

// True if `value` is the value read by the access; for a compare-and-swap, the old value.
bool is_value_of(llvm::Value *value, const llvm::Instruction &access) {
  value = without_freeze(value);
  if (auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(value))
    return part->getAggregateOperand() == &access && part->getIndices() == llvm::ArrayRef(0U);
  return value == &access && !access.getType()->isStructTy();
}

// Returns nullopt if the exit is not such a comparison.
std::optional<End> find_end(const llvm::Loop &loop, llvm::Instruction &access) {
  llvm::BasicBlock *exiting = loop.getExitingBlock();
  auto *branch = exiting ? llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional())
    return std::nullopt;
  const bool ends_if = !loop.contains(branch->getSuccessor(0));
  llvm::Value *condition = without_freeze(branch->getCondition());
  if (auto *swapped = llvm::dyn_cast<llvm::ExtractValueInst>(condition)) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access);
    if (!swap || swapped->getAggregateOperand() != swap || !ends_if ||
        !loop.isLoopInvariant(swap->getCompareOperand()))
      return std::nullopt;
    return End{EndsBy::equal, swap->getCompareOperand()};
  }
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!comparison)
    return std::nullopt;
  auto predicate = ends_if ? comparison->getPredicate() : comparison->getInversePredicate();
  llvm::Value *value = comparison->getOperand(0), *wanted = comparison->getOperand(1);
  if (!is_value_of(value, access)) {
    std::swap(value, wanted);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  auto by = ends_by(predicate);
  if (!by || !is_value_of(value, access) || !loop.isLoopInvariant(wanted))
    return std::nullopt;
  return End{*by, wanted};
}

class Marker {
public:
  // `seen`: the calls that already follow accesses, emitted for surrounding loops.
  Marker(llvm::Function &function, Wait &wait, GroupWaits::Others others,
         llvm::DominatorTree &dominators, llvm::LoopInfo &loops, Seen &seen, KernelSum &sum,
         llvm::AllocaInst *written_by_calls)
      : module_(*function.getParent()), wait_(wait), loop_(*wait.loop), others_(others),
        dominators_(dominators), loops_(loops), seen_(seen), sum_(sum),
        written_by_calls_(written_by_calls), builder_(function.getContext()) {}

  void run(std::vector<SerialRegion> &serial_regions) {
    llvm::Instruction *place = suspension_point_of(loop_, loops_, dominators_);
    llvm::BasicBlock *back_edge = make_single_latch();
    if (!place)
      place = back_edge->getTerminator();
    IterationChanges changes(wait_, *place, sum_, written_by_calls_);
    bool pure = is_pure(changes);
    const llvm::DebugLoc source = wait_.accesses.front()->getDebugLoc();
    remark(*wait_.accesses.front(), "waits",
           llvm::Twine("the loop ends when another work-item changes what is read here") +
               (pure ? "" : "; other things may end it as well"));
    for (llvm::Instruction *access : wait_.accesses)
      emit_seen(*access, pure);
    llvm::Value *changed = changes.emit(dominators_, loops_);
    for (const WriteSums::Split &split : changes.splits())
      for (SerialRegion &region : serial_regions)
        if (region.blocks.contains(split.head)) {
          region.blocks.insert(split.then);
          region.blocks.insert(split.tail);
        }
    builder_.SetInsertPoint(place);
    if (pure)
      emit_end(*wait_.accesses.front());
    uint32_t site = add_suspension_site(module_, SuspensionSite::Kind::wait, source, pure,
                                        add_others(), changes.is_never_compared());
    auto *call = emit(Primitive::wait, {builder_.getInt32(site), changed});
    if (others_.is_collective)
      call->addFnAttr(llvm::Attribute::get(call->getContext(), once_for_group));
    call->setDebugLoc(source);
    changes.emit_begin_of_iteration();
    if (!changes.variables().empty())
      llvm::PromoteMemToReg(changes.variables(), dominators_);
  }

private:
  // True if the value of one location decides alone whether the loop ends, and every iteration and
  // every sub-group reads that location.
  bool is_pure(const IterationChanges &changes) const {
    llvm::Instruction *access = wait_.accesses.front();
    auto pointer = read_by(*access);
    return wait_.accesses.size() == 1 && changes.has_nothing_but(*access) &&
           !llvm::isa<llvm::CallBase>(access) && loop_.isLoopInvariant(*pointer) &&
           loops_.getLoopFor(access->getParent()) == &loop_ &&
           dominators_.dominates(access->getParent(), loop_.getLoopLatch()) &&
           (others_.is_collective || !has_barrier()) &&
           module_.getDataLayout().getTypeSizeInBits(type_of(*access)) <= 64;
  }

  // True if the loop contains a barrier, so that other sub-groups depend on its progress.
  bool has_barrier() const {
    return llvm::any_of(loop_.blocks(), [](const llvm::BasicBlock *block) {
      return llvm::any_of(*block, [](auto &it) { return is_group_operation(it); });
    });
  }

  llvm::BasicBlock *make_single_latch() {
    llvm::BasicBlock *latch = loop_.getLoopLatch();
    if (latch->getSingleSuccessor())
      return latch;
    return llvm::SplitEdge(latch, loop_.getHeader(), &dominators_, &loops_);
  }

  llvm::CallInst *emit(Primitive primitive, llvm::ArrayRef<llvm::Value *> arguments) {
    llvm::SmallVector<llvm::Type *, 3> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto callee = declare_primitive(module_, primitive,
                                    llvm::FunctionType::get(builder_.getVoidTy(), types, false));
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setConvergent();
    function->setDoesNotThrow();
    auto *call = builder_.CreateCall(callee, arguments);
    call->setConvergent();
    call->setDoesNotThrow();
    return call;
  }

  uint32_t add_others() {
    if (!others_.are_apart || !others_.barrier)
      return others_.are_apart;
    return 2 + add_suspension_site(module_, SuspensionSite::Kind::barrier,
                                   others_.barrier->getDebugLoc(), /*is_pure=*/false);
  }

  // Converts to a 64-bit integer by zero-extension; a longer value is truncated.
  llvm::Value *as_word(llvm::Value *value) {
    unsigned bits = module_.getDataLayout().getTypeSizeInBits(value->getType());
    if (value->getType()->isPointerTy())
      value = builder_.CreatePtrToInt(value, builder_.getIntNTy(bits));
    else if (!value->getType()->isIntegerTy())
      value = builder_.CreateBitCast(value, builder_.getIntNTy(bits));
    return builder_.CreateZExtOrTrunc(value, builder_.getInt64Ty());
  }

  // Records the value read; for a copy, only the address.
  void emit_seen(llvm::Instruction &access, bool pure) {
    const llvm::Value *pointer = *read_by(access);
    if (!pointer || seen_.contains(&access))
      return;
    builder_.SetInsertPoint(access.getNextNode());
    builder_.SetCurrentDebugLocation(access.getDebugLoc());
    llvm::Value *value = builder_.getInt64(0);
    uint64_t bytes = 0;
    if (!llvm::isa<llvm::CallBase>(access)) {
      value = as_word(llvm::isa<llvm::AtomicCmpXchgInst>(access)
                          ? builder_.CreateExtractValue(&access, 0)
                          : &access);
      bytes = std::min<uint64_t>(module_.getDataLayout().getTypeStoreSize(type_of(access)), 8);
    }
    llvm::Value *address = builder_.CreateAddrSpaceCast(const_cast<llvm::Value *>(pointer),
                                                        builder_.getPtrTy(generic_space));
    uint32_t number = add_seen_access(module_, access.getDebugLoc());
    if (number > WaitRecord::most_accesses)
      number = 0;
    const uint32_t which = static_cast<uint32_t>(bytes) | number << WaitRecord::access_shift;
    llvm::CallInst *seen = emit(Primitive::seen, {address, value, builder_.getInt32(which)});
    seen_[&access] = seen;
    if (pure)
      seen->addFnAttr(llvm::Attribute::get(seen->getContext(), wait_record_is_complete));
    if (pure && others_.is_collective)
      seen->addFnAttr(llvm::Attribute::get(seen->getContext(), once_for_group));
  }

  // For a pure site, records which values are worth a resumption.
  void emit_end(llvm::Instruction &access) {
    auto end = find_end(loop_, access);
    const llvm::CallInst *seen = seen_.lookup(&access);
    if (!end || !seen)
      return;
    const auto which = llvm::cast<llvm::ConstantInt>(seen->getArgOperand(2))->getZExtValue();
    const auto ends_by = static_cast<uint64_t>(end->by) << WaitRecord::ends_by_shift;
    emit(Primitive::ends_with, {as_word(end->wanted), builder_.getInt32(which | ends_by)});
  }

  llvm::Module &module_;
  Wait &wait_;
  llvm::Loop &loop_;
  GroupWaits::Others others_;
  llvm::DominatorTree &dominators_;
  llvm::LoopInfo &loops_;
  Seen &seen_;
  KernelSum &sum_;
  llvm::AllocaInst *written_by_calls_;
  llvm::IRBuilder<> builder_;
};

void mark_lock_entries(llvm::ArrayRef<LockEntry> entries) {
  for (const LockEntry &entry : entries) {
    llvm::IRBuilder<> builder(entry.before);
    llvm::Type *pointer = builder.getPtrTy(generic_space);
    auto callee = declare_primitive(*entry.before->getModule(), Primitive::before_lock,
                                    builder.getVoidTy(), {pointer});
    llvm::cast<llvm::Function>(callee.getCallee())->setConvergent();
    llvm::CallInst *call =
        builder.CreateCall(callee, {builder.CreateAddrSpaceCast(entry.lock, pointer)});
    call->setConvergent();
    call->setDoesNotThrow();
  }
}

// Without those behind another one, where the group may hold that lock.
llvm::SmallVector<LockEntry> find_lock_entries(llvm::Function &function, std::vector<Wait> &waits,
                                               const llvm::DominatorTree &dominators,
                                               const llvm::PostDominatorTree &post_dominators,
                                               const llvm::LoopInfo &loops) {
  llvm::SmallVector<LockEntry> entries;
  auto of_one_item =
      blocks_entered_by_one(function, dominators, post_dominators, loops, HeldBack::work_group);
  if (const auto size = specialized_local_size(function);
      uint64_t(size[0]) * size[1] * size[2] == 1)
    for (const llvm::BasicBlock &block : function)
      of_one_item.insert(&block);
  for (const Wait &wait : waits)
    if (const auto entry = find_lock_entry(wait, of_one_item))
      entries.push_back(*entry);
  llvm::SmallVector<LockEntry> first;
  for (const LockEntry &entry : entries)
    if (llvm::none_of(first,
                      [&](const LockEntry &other) { return other.before == entry.before; }) &&
        llvm::none_of(entries, [&](const LockEntry &other) {
          return dominators.dominates(other.before, entry.before);
        }))
      first.push_back(entry);
  return first;
}

// Compare-and-swap loops that are faster one lane at a time.
std::vector<SerialRegion> find_retries(llvm::Function &function,
                                       const llvm::DominatorTree &dominators,
                                       const llvm::LoopInfo &loops) {
  std::vector<SerialRegion> serial_regions;
  std::optional<Uniformity> uniformity;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!retried_swap(*loop))
      continue;
    if (!uniformity)
      uniformity.emplace(function, dominators, UniformityLevel::lanes);
    if (auto region = find_retry(*loop, *uniformity))
      serial_regions.push_back(*region);
  }
  return serial_regions;
}

// Makes polled plain flags volatile. Other work-items, even of the same group, may set them at any
// time. A plain load counts as uniform (uniformity.h), but work-items of a group need not read the
// same flag value. Optimization may have moved the first poll before the loop.
class PlainFlags {
public:
  PlainFlags(llvm::DominatorTree &dominators, llvm::AAResults &aliases)
      : dominators_(dominators), aliases_(aliases) {}

  void make_volatile(const Wait &wait) {
    llvm::SmallVector<llvm::LoadInst *, 4> polls, looks;
    for (llvm::Instruction *access : wait.accesses)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(access); load && !load->isAtomic())
        polls.push_back(load);
    if (polls.empty())
      return;
    for (auto *node = dominators_.getNode(wait.loop->getHeader())->getIDom(); node;
         node = node->getIDom())
      if (const llvm::Value *condition = condition_of(*node->getBlock()->getTerminator()))
        find_looks(*condition, polls, looks);
    for (auto *loads : {&polls, &looks})
      for (llvm::LoadInst *load : *loads)
        if (!load->isVolatile()) {
          load->setVolatile(true);
          load->setMetadata(plain_wait_metadata, llvm::MDNode::get(load->getContext(), {}));
        }
  }

private:
  // Collects the loads that a condition depends on and that may read one of these flags.
  void find_looks(const llvm::Value &condition, llvm::ArrayRef<llvm::LoadInst *> polls,
                  llvm::SmallVectorImpl<llvm::LoadInst *> &looks) const {
    llvm::SmallSetVector<const llvm::Value *, 16> open;
    open.insert(&condition);
    for (unsigned index = 0; index != open.size(); ++index) {
      auto *source = llvm::dyn_cast<llvm::Instruction>(open[index]);
      if (!source)
        continue;
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(source)) {
        if (load->isSimple() &&
            llvm::any_of(polls, [&](llvm::LoadInst *poll) { return may_be_same(*load, *poll); }))
          looks.push_back(const_cast<llvm::LoadInst *>(load));
      } else {
        open.insert_range(source->operands());
      }
    }
  }

  bool may_be_same(const llvm::LoadInst &one, const llvm::LoadInst &other) const {
    return llvm::getUnderlyingObject(one.getPointerOperand()) ==
               llvm::getUnderlyingObject(other.getPointerOperand()) &&
           !aliases_.isNoAlias(llvm::MemoryLocation::getBeforeOrAfter(one.getPointerOperand()),
                               llvm::MemoryLocation::getBeforeOrAfter(other.getPointerOperand()));
  }

  llvm::DominatorTree &dominators_;
  llvm::AAResults &aliases_;
};

// Undoes a transformation of simplify-cfg on `if (c) flag = 2; else if (flag != 2) flag = -1;`. It
// sinks both stores into one behind both paths. Lanes in lock step would execute that store after
// all of them have read the flag. With separate stores, the first path is complete before the
// second begins.
void divide_joined_stores(llvm::Function &function, llvm::DominatorTree &dominators) {
  llvm::DomTreeUpdater updater(dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  llvm::SmallVector<llvm::StoreInst *> stores;
  for (llvm::BasicBlock &block : function) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&*block.getFirstNonPHIOrDbg());
    auto *value = store ? llvm::dyn_cast<llvm::PHINode>(store->getValueOperand()) : nullptr;
    if (value && value->getParent() == &block && !store->isSimple() &&
        store->getNextNode() == block.getTerminator() && block.getSingleSuccessor())
      stores.push_back(store);
  }
  for (llvm::StoreInst *store : stores) {
    llvm::BasicBlock *block = store->getParent();
    const llvm::SmallSetVector<llvm::BasicBlock *, 4> all(llvm::pred_begin(block),
                                                          llvm::pred_end(block));
    for (llvm::BasicBlock *before : all) {
      llvm::ValueToValueMapTy map;
      llvm::DuplicateInstructionsInSplitBetween(block, before, block->getTerminator(), map,
                                                updater);
    }
    store->eraseFromParent();
  }
}

// Suspends each sub-group before every barrier. Tests use this to find values that are not
// preserved across a suspension of a group.
void stop_before_barriers(llvm::Function &function) {
  llvm::SmallVector<llvm::Instruction *> barriers;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (is_group_operation(instruction))
      barriers.push_back(&instruction);
  for (llvm::Instruction *barrier : barriers) {
    llvm::IRBuilder<> builder(barrier);
    auto callee = declare_primitive(*function.getParent(), Primitive::wait, builder.getVoidTy(),
                                    {builder.getInt32Ty(), builder.getInt1Ty()});
    llvm::cast<llvm::Function>(callee.getCallee())->setConvergent();
    uint32_t site = add_suspension_site(*function.getParent(), SuspensionSite::Kind::wait,
                                        barrier->getDebugLoc(), /*is_pure=*/false);
    llvm::CallInst *call = builder.CreateCall(callee, {builder.getInt32(site), builder.getTrue()});
    call->setConvergent();
    call->setDoesNotThrow();
  }
}

} // namespace

// Null if the group may be suspended as a whole.
const char *MarkWaitsPass::why_not_by_group(const GroupWaits &groups, bool apart) const {
  if (form_ == WantedForm::sub_groups || form_ == WantedForm::resumable)
    return "LOCKSTEP_FORM says so";
  if (apart)
    return "work-items of one sub-group may wait for each other";
  return groups.why_not();
}

llvm::PreservedAnalyses MarkWaitsPass::run(llvm::Function &function,
                                           llvm::FunctionAnalysisManager &analyses) {
  const bool is_forced = form_ == WantedForm::resumable || form_ == WantedForm::groups;
  if (is_forced)
    set_resumable(function);
  if (!may_wait(function) && form_ != WantedForm::groups)
    return llvm::PreservedAnalyses::all();
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  if (function.hasMetadata(required_size_metadata)) {
    divide_joined_stores(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function));
    llvm::PreservedAnalyses kept;
    kept.preserve<llvm::DominatorTreeAnalysis>();
    analyses.invalidate(function, kept);
  }
  run(llvm::LowerSwitchPass());
  run(MakeReduciblePass());
  run(llvm::LoopSimplifyPass());
  run(RotatePollsPass());
  run(llvm::LoopSimplifyPass());
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto find = [&] {
    return find_waits(function, {loops, dominators,
                                 analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                                 analyses.getResult<llvm::AAManager>(function)});
  };
  std::vector<Wait> waits = find();
  llvm::AllocaInst *written_by_calls = nullptr;
  if (form_ != WantedForm::looped &&
      llvm::any_of(waits, [](const Wait &wait) { return calls_one_that_writes(*wait.loop); })) {
    written_by_calls = report_writes(function);
    waits = find(); // the calls have been replaced
  }
  PlainFlags plain_flags(dominators, analyses.getResult<llvm::AAManager>(function));
  for (const Wait &wait : waits)
    plain_flags.make_volatile(wait);
  auto &post_dominators = analyses.getResult<llvm::PostDominatorTreeAnalysis>(function);
  std::vector<SerialRegion> serial_regions;
  bool apart =
      !may_wait_in_lanes(function, waits, dominators, post_dominators, loops, serial_regions);
  if (apart) {
    function.addFnAttr(lanes_wait_for_each_other);
    if (llvm::all_of(waits, [](const Wait &wait) { return wait.is_limited; }))
      function.addFnAttr(waits_are_limited);
    serial_regions.clear();
  } else {
    for (SerialRegion &region : find_retries(function, dominators, loops))
      if (llvm::none_of(serial_regions, [&](SerialRegion &other) { // inside the region of a lock
            return other.blocks.contains(region.loop->getHeader());
          }))
        serial_regions.push_back(region);
  }
  if ((!waits.empty() && form_ != WantedForm::looped) || is_forced) {
    set_resumable(function);
    const GroupWaits groups(function, waits, dominators, post_dominators, loops);
    const char *reason = why_not_by_group(groups, apart);
    if (!waits.empty())
      remark(*waits.front().accesses.front(), "waits",
             reason ? llvm::Twine(
                          "each sub-group is suspended by itself, not the whole work-group: ") +
                          reason
                    : llvm::Twine("the whole work-group is suspended"));
    llvm::SmallVector<LockEntry> lock_entries;
    if (!reason) {
      lock_entries = find_lock_entries(function, waits, dominators, post_dominators, loops);
      set_resumable_by_group(function);
      if (llvm::none_of(waits,
                        [&](const Wait &wait) { return groups.others_at(*wait.loop).are_apart; }))
        function.addFnAttr(waits_together);
      groups.isolate();
      if (form_ == WantedForm::groups)
        stop_before_barriers(function);
    }
    // Outer loops come first, and are not pure if an inner loop has the same access.
    Seen seen;
    KernelSum sum;
    for (Wait &wait : waits)
      Marker(function, wait, reason ? GroupWaits::Others() : groups.others_at(*wait.loop),
             dominators, loops, seen, sum, written_by_calls)
          .run(serial_regions);
    if (sum.variable)
      llvm::PromoteMemToReg(sum.variable, dominators);
    mark_lock_entries(lock_entries);
  }
  for (SerialRegion &region : serial_regions)
    mark_serial_region(region);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
