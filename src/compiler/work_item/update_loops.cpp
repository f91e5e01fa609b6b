// Replaces loops that update a location by compare-and-swap by the atomic update that they are.
//
//   do { old = *p; } while (atomic_cmpxchg(p, old, max(old, value)) != old);
// becomes
//   atomic_max(p, value);
//
// Requires: a function of one work-item after scalar optimization.
// Ensures: the same values in memory. A loop is replaced if all of these hold:
//   - It repeats only because its swap failed (waits/analysis/retry_loops.h), and does nothing else.
//   - It ends when its swap succeeded. It may also end without a swap: if the location already has
//     the minimum or maximum that the swap would store.
//   - The new value is one operation of the old value and of a value that the loop does not change.
//     The operations are sum, difference, product, minimum, maximum, and, or, xor. Sums and
//     products of floating-point numbers need `reassoc` (-cl-unsafe-math-optimizations), since
//     updates are combined.
//
// Later passes know atomic updates: they combine lanes, and workers may have copies
// (arguments/privatized_reductions.h). LLVM has no atomic product. It becomes a call of
// __lockstep_atomic_multiply (kernel_ir/atomic_multiply.h), unless the loop's old value is used.
//
// Position: before mark-waits, which makes lanes execute such loops one at a time.
#include "compiler/waits/analysis/retry_loops.h"
#include "compiler/work_item/passes.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/remark.h"

#include "abi/address_spaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <optional>

namespace lockstep::compiler {

namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

struct Operation {
  std::optional<AtomicRMWInst::BinOp> update; // null: a product
  Value *operand = nullptr;
};

// Without casts between integers and floating-point numbers of the same bits.
Value *bits_of(Value *value) {
  while (llvm::isa<llvm::BitCastInst, llvm::FreezeInst>(value))
    value = llvm::cast<Instruction>(value)->getOperand(0);
  return value;
}

std::optional<AtomicRMWInst::BinOp> update_of(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case llvm::Intrinsic::smin:
    return AtomicRMWInst::Min;
  case llvm::Intrinsic::smax:
    return AtomicRMWInst::Max;
  case llvm::Intrinsic::umin:
    return AtomicRMWInst::UMin;
  case llvm::Intrinsic::umax:
    return AtomicRMWInst::UMax;
  case llvm::Intrinsic::minnum:
    return AtomicRMWInst::FMin;
  case llvm::Intrinsic::maxnum:
    return AtomicRMWInst::FMax;
  default:
    return std::nullopt;
  }
}

// The update that stores `value` if `value <predicate> old`.
std::optional<AtomicRMWInst::BinOp> update_if(llvm::CmpInst::Predicate predicate) {
  switch (predicate) {
  case llvm::CmpInst::ICMP_SGT:
  case llvm::CmpInst::ICMP_SGE:
    return AtomicRMWInst::Max;
  case llvm::CmpInst::ICMP_SLT:
  case llvm::CmpInst::ICMP_SLE:
    return AtomicRMWInst::Min;
  case llvm::CmpInst::ICMP_UGT:
  case llvm::CmpInst::ICMP_UGE:
    return AtomicRMWInst::UMax;
  case llvm::CmpInst::ICMP_ULT:
  case llvm::CmpInst::ICMP_ULE:
    return AtomicRMWInst::UMin;
  default:
    return std::nullopt;
  }
}

// The operation of a binary instruction whose operands may be exchanged.
std::optional<Operation> commutative(const Instruction &operation, Value *operand) {
  const bool may_be_combined = !operation.getType()->isFloatingPointTy() ||
                               llvm::cast<llvm::FPMathOperator>(operation).hasAllowReassoc();
  if (!may_be_combined)
    return std::nullopt;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    return Operation{AtomicRMWInst::Add, operand};
  case Instruction::And:
    return Operation{AtomicRMWInst::And, operand};
  case Instruction::Or:
    return Operation{AtomicRMWInst::Or, operand};
  case Instruction::Xor:
    return Operation{AtomicRMWInst::Xor, operand};
  case Instruction::FAdd:
    return Operation{AtomicRMWInst::FAdd, operand};
  case Instruction::Mul:
  case Instruction::FMul:
    return Operation{std::nullopt, operand};
  default:
    return std::nullopt;
  }
}

class UpdateLoop {
public:
  UpdateLoop(llvm::Loop &loop, llvm::AtomicCmpXchgInst &swap) : loop_(loop), swap_(swap) {}

  // Replaces the loop by an update. Returns false if the loop is not one.
  bool replace();
  // Whether replace() has moved an operand before the loop.
  bool has_moved() const { return has_moved_; }

private:
  // ---- analysis
  bool only_updates();
  bool may_read_once(const llvm::LoadInst &load) const;
  bool hoist(Value *value);
  bool is_exit_after_success(const llvm::BranchInst &branch) const;
  bool is_exit_at_limit(const llvm::BranchInst &branch);
  bool ends_after_update();
  std::optional<Operation> find_operation();
  std::optional<Operation> operation_of(Instruction &result);
  llvm::LoadInst *first_read() const;
  bool is_first_read_recent() const;
  bool is_read_in_loop() const {
    auto *read = llvm::dyn_cast<llvm::LoadInst>(bits_of(swap_.getCompareOperand()));
    return read && loop_.contains(read);
  }
  bool may_be_product() const;

  bool is_old(Value *value) const {
    return bits_of(value) == bits_of(swap_.getCompareOperand()) || is_part(bits_of(value), 0);
  }
  bool is_part(const Value *value, unsigned field) const {
    auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
    return part && part->getAggregateOperand() == &swap_ && part->getIndices()[0] == field;
  }
  // ---- values that are used after the loop
  bool find_results();
  bool is_result(Value *value) const;
  bool is_used_after(const Instruction &instruction) const;
  Value *result(llvm::IRBuilder<> &builder, Value *value, Value *old, const Operation &operation);
  // ---- replacement
  AtomicOrdering ordering() const;
  Value *emit(llvm::IRBuilder<> &builder, const Operation &operation) const;
  void leave_loop(llvm::IRBuilder<> &builder, Value *old, const Operation &operation);

  llvm::Loop &loop_;
  llvm::AtomicCmpXchgInst &swap_;
  bool has_moved_ = false;
  BasicBlock *exit_ = nullptr;
  llvm::ICmpInst *limit_ = nullptr;                  // ends the loop without a swap
  bool ends_if_limit_ = false;                       // the value of `limit_` with which it does
  AtomicOrdering reads_ = AtomicOrdering::NotAtomic; // the strongest order of the reads
  llvm::SmallVector<Value *, 4> results_;            // values of the loop that are used after it
};

// ---- analysis

bool UpdateLoop::only_updates() {
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &instruction : *block) {
      if (&instruction == &swap_ || instruction.isTerminator())
        continue;
      if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize))
        return false; // the checker's own accesses
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (load->getPointerOperand() != swap_.getPointerOperand()) {
          if (!may_read_once(*load))
            return false;
          continue;
        }
        if (llvm::isStrongerThan(load->getOrdering(), reads_))
          reads_ = load->getOrdering();
      } else if (instruction.mayHaveSideEffects() || instruction.mayReadOrWriteMemory()) {
        return false;
      }
    }
  return true;
}

// Another work-item that changes the memory between two iterations makes a data race, unless the
// failed swap acquires.
bool UpdateLoop::may_read_once(const llvm::LoadInst &load) const {
  return load.isSimple() && !llvm::isStrongerThanMonotonic(swap_.getMergedOrdering());
}

// Moves the computation of `value` before the loop. Returns false if the loop changes it.
bool UpdateLoop::hoist(Value *value) {
  auto *instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || !loop_.contains(instruction))
    return true;
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction);
  const bool may_move =
      load ? load->getPointerOperand() != swap_.getPointerOperand() && may_read_once(*load)
           : !llvm::isa<llvm::PHINode>(instruction) &&
                 llvm::isSafeToSpeculativelyExecute(instruction);
  if (!may_move || !llvm::all_of(instruction->operands(), [&](Value *it) { return hoist(it); }))
    return false;
  has_moved_ = true;
  instruction->moveBefore(loop_.getLoopPreheader()->getTerminator()->getIterator());
  return true;
}

// True if the branch leaves the loop if and only if the swap succeeded.
bool UpdateLoop::is_exit_after_success(const llvm::BranchInst &branch) const {
  using namespace llvm::PatternMatch;
  Value *condition = branch.getCondition();
  bool outcome = !loop_.contains(branch.getSuccessor(0));
  for (Value *inner = nullptr; match(condition, m_Not(m_Value(inner))); condition = inner)
    outcome = !outcome;
  if (is_part(condition, 1))
    return outcome;
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !compare->isEquality() || swap_.isWeak()) // a weak swap may fail spuriously
    return false;
  Value *one = compare->getOperand(0), *other = compare->getOperand(1);
  if (!is_part(one, 0))
    std::swap(one, other);
  return is_part(one, 0) && bits_of(other) == bits_of(swap_.getCompareOperand()) &&
         (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) == outcome;
}

// True if the branch leaves the loop because the old value needs no update: the swap would store
// `value` only if `value <predicate> old`.
bool UpdateLoop::is_exit_at_limit(const llvm::BranchInst &branch) {
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (!compare || limit_ || branch.getParent() != loop_.getHeader() ||
      swap_.getParent() == loop_.getHeader())
    return false;
  limit_ = compare;
  ends_if_limit_ = !loop_.contains(branch.getSuccessor(0));
  return true;
}

bool UpdateLoop::ends_after_update() {
  bool ends = false;
  for (BasicBlock *block : loop_.blocks()) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch)
      return false;
    if (!branch->isConditional())
      continue;
    if (loop_.contains(branch->getSuccessor(0)) == loop_.contains(branch->getSuccessor(1)))
      return false;
    if (is_exit_after_success(*branch))
      ends = true;
    else if (!is_exit_at_limit(*branch))
      return false;
  }
  return ends;
}

std::optional<Operation> UpdateLoop::operation_of(Instruction &result) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&result)) {
    auto update = update_of(call->getIntrinsicID());
    if (!update)
      return std::nullopt;
    Value *one = call->getArgOperand(0), *other = call->getArgOperand(1);
    return Operation{update, is_old(one) ? other : one};
  }
  if (!llvm::isa<llvm::BinaryOperator>(result))
    return std::nullopt;
  Value *one = result.getOperand(0), *other = result.getOperand(1);
  if (result.getOpcode() == Instruction::Sub && is_old(one))
    return Operation{AtomicRMWInst::Sub, other};
  if (auto *bits = llvm::dyn_cast<llvm::ConstantInt>(other);
      bits && result.getOpcode() == Instruction::Shl && is_old(one)) // a product with a constant
    return Operation{
        std::nullopt,
        llvm::ConstantInt::get(result.getType(), llvm::APInt::getOneBitSet(bits->getBitWidth(),
                                                                           bits->getZExtValue()))};
  return commutative(result, is_old(one) ? other : one);
}

std::optional<Operation> UpdateLoop::find_operation() {
  Value *result = bits_of(swap_.getNewValOperand());
  if (limit_) {
    // The loop stores `value` only while `value <predicate> old`.
    Value *value = limit_->getOperand(0), *old = limit_->getOperand(1);
    auto predicate = ends_if_limit_ ? limit_->getInversePredicate() : limit_->getPredicate();
    if (is_old(value)) {
      std::swap(value, old);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    auto update = update_if(predicate);
    if (!update || value != result || !is_old(old) || !hoist(value))
      return std::nullopt;
    return Operation{update, value};
  }
  auto *instruction = llvm::dyn_cast<Instruction>(result);
  if (!instruction || !loop_.contains(instruction) || instruction->getType()->isVectorTy() ||
      llvm::none_of(instruction->operands(), [&](llvm::Use &it) { return is_old(it); }))
    return std::nullopt;
  auto operation = operation_of(*instruction);
  if (!operation || !hoist(operation->operand))
    return std::nullopt;
  return operation;
}

// The read before the loop of the first expected value, if it is one.
llvm::LoadInst *UpdateLoop::first_read() const {
  auto *expected = llvm::dyn_cast<llvm::PHINode>(bits_of(swap_.getCompareOperand()));
  if (!expected || expected->getParent() != loop_.getHeader())
    return nullptr;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(
      bits_of(expected->getIncomingValueForBlock(loop_.getLoopPreheader())));
  return load && load->getPointerOperand() == swap_.getPointerOperand() ? load : nullptr;
}

// True if no access separates the first read from the loop, so that it may as well be part of the
// update.
bool UpdateLoop::is_first_read_recent() const {
  const Instruction *read = first_read();
  if (!read || read->getParent() != loop_.getLoopPreheader())
    return false;
  for (const Instruction *it = read->getNextNode(); it; it = it->getNextNode())
    if (it->mayReadOrWriteMemory())
      return false;
  return true;
}

// ---- values that are used after the loop

bool UpdateLoop::is_used_after(const Instruction &instruction) const {
  return llvm::any_of(instruction.users(), [&](const llvm::User *user) {
    auto *use = llvm::cast<Instruction>(user);
    return !loop_.contains(use) && !(llvm::isa<llvm::PHINode>(use) && use->getParent() == exit_);
  });
}

// True for values that the update yields, too.
bool UpdateLoop::is_result(Value *value) const {
  auto *instruction = llvm::dyn_cast<Instruction>(value);
  return !instruction || !loop_.contains(instruction) || is_old(value) ||
         bits_of(value) == bits_of(swap_.getNewValOperand()) || (is_part(value, 1) && !limit_);
}

bool UpdateLoop::find_results() {
  for (llvm::PHINode &phi : exit_->phis()) {
    Value *only = nullptr;
    for (BasicBlock *before : phi.blocks()) {
      if (!loop_.contains(before))
        continue;
      Value *value = phi.getIncomingValueForBlock(before);
      const bool is_same = !only || only == value || (is_old(only) && is_old(value));
      if (!is_same || !is_result(value))
        return false;
      only = value;
    }
    if (auto *instruction = llvm::dyn_cast<Instruction>(only);
        instruction && loop_.contains(instruction))
      results_.push_back(only);
  }
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &instruction : *block)
      if (is_used_after(instruction)) {
        if (!is_result(&instruction))
          return false;
        results_.push_back(&instruction);
      }
  return true;
}

// `value` of the loop, computed from the value that the update read.
Value *UpdateLoop::result(llvm::IRBuilder<> &builder, Value *value, Value *old,
                          const Operation &operation) {
  auto *instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || !loop_.contains(instruction))
    return value;
  if (is_part(value, 1))
    return builder.getTrue();
  if (is_old(value))
    return builder.CreateBitCast(old, value->getType());
  if (limit_)
    return operation.operand;
  auto *computed = llvm::cast<Instruction>(bits_of(value));
  Instruction *copy = computed->clone();
  for (llvm::Use &operand : copy->operands())
    if (is_old(operand))
      operand.set(builder.CreateBitCast(old, operand->getType()));
  return builder.CreateBitCast(builder.Insert(copy), value->getType());
}

// ---- replacement

// The order of the swap and of the reads that it replaces.
AtomicOrdering UpdateLoop::ordering() const {
  const AtomicOrdering swap = swap_.getMergedOrdering();
  if (reads_ == AtomicOrdering::SequentiallyConsistent)
    return reads_;
  if (reads_ == AtomicOrdering::Acquire && swap == AtomicOrdering::Release)
    return AtomicOrdering::AcquireRelease;
  return llvm::isStrongerThan(reads_, swap) ? reads_ : swap;
}

// Returns the old value; null for a product.
Value *UpdateLoop::emit(llvm::IRBuilder<> &builder, const Operation &operation) const {
  if (!operation.update) {
    create_atomic_multiply(builder, {swap_.getPointerOperand(), operation.operand, ordering()});
    return nullptr;
  }
  auto *update =
      builder.CreateAtomicRMW(*operation.update, swap_.getPointerOperand(), operation.operand,
                              swap_.getAlign(), ordering(), swap_.getSyncScopeID());
  update->setVolatile(swap_.isVolatile());
  return update;
}

void UpdateLoop::leave_loop(llvm::IRBuilder<> &builder, Value *old, const Operation &operation) {
  BasicBlock *preheader = loop_.getLoopPreheader();
  llvm::DenseMap<Value *, Value *> made;
  auto of_update = [&](Value *value) {
    Value *&found = made[value];
    if (!found)
      found = result(builder, value, old, operation);
    return found;
  };
  // The loop's own edges disappear with its blocks.
  for (llvm::PHINode &phi : exit_->phis())
    for (BasicBlock *before : llvm::SmallVector<BasicBlock *>(phi.blocks()))
      if (loop_.contains(before)) {
        phi.addIncoming(of_update(phi.getIncomingValueForBlock(before)), preheader);
        break;
      }
  for (Value *value : results_)
    value->replaceUsesWithIf(of_update(value), [&](llvm::Use &use) {
      auto *user = llvm::cast<Instruction>(use.getUser());
      return !loop_.contains(user);
    });
  preheader->getTerminator()->setSuccessor(0, exit_);
}

// A product yields no old value. No analysis of waits knows it, so the surrounding loops must not
// wait.
bool UpdateLoop::may_be_product() const {
  if (swap_.getPointerAddressSpace() != global_space || stays_in_group(swap_))
    return false;
  const bool needs_old = llvm::any_of(results_, [&](Value *value) { return !is_part(value, 1); });
  if (needs_old)
    return false;
  for (const llvm::Loop *outer = loop_.getParentLoop(); outer; outer = outer->getParentLoop())
    for (const BasicBlock *block : outer->blocks())
      for (const Instruction &instruction : *block)
        if (!loop_.contains(&instruction) &&
            (instruction.isAtomic() || instruction.isVolatile() ||
             (llvm::isa<llvm::CallBase>(instruction) && instruction.mayReadOrWriteMemory() &&
              !atomic_multiply(instruction))))
          return false;
  return true;
}

// Erases the read of the first expected value unless it has other uses. A volatile one is not
// trivially dead.
void erase_read(llvm::LoadInst &read) {
  const llvm::WeakVH handle(&read); // a read that is not volatile may go with its users
  llvm::SmallVector<llvm::WeakTrackingVH> users(read.users());
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(users);
  if (handle && read.use_empty())
    read.eraseFromParent();
}

bool UpdateLoop::replace() {
  exit_ = loop_.getUniqueExitBlock();
  const auto *type = llvm::dyn_cast<llvm::IntegerType>(swap_.getCompareOperand()->getType());
  if (!type || (type->getBitWidth() != 32 && type->getBitWidth() != 64) || !loop_.isInnermost() ||
      !loop_.getLoopPreheader() || !exit_ || !only_updates() || !ends_after_update())
    return false;
  // At a limit, the loop ends by what it read. The update reads later, so the order of the
  // accesses must allow that.
  if (limit_ && !is_read_in_loop() && !is_first_read_recent())
    return false;
  const auto operation = find_operation();
  if (!operation || !find_results() || (!operation->update && !may_be_product()))
    return false;
  llvm::LoadInst *read = first_read();
  const bool is_recent = is_first_read_recent();
  if (is_recent && llvm::isStrongerThan(read->getOrdering(), reads_))
    reads_ = read->getOrdering();
  const bool can_go = read && (is_recent || !llvm::isStrongerThanMonotonic(read->getOrdering()));
  remark(swap_, "atomics", "the loop that swaps is one atomic update");
  llvm::IRBuilder<> builder(loop_.getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(swap_.getDebugLoc());
  leave_loop(builder, emit(builder, *operation), *operation);
  const llvm::SmallVector<BasicBlock *> blocks(loop_.blocks());
  llvm::DeleteDeadBlocks(blocks);
  if (can_go)
    erase_read(*read);
  return true;
}

llvm::AtomicCmpXchgInst *swap_in(const llvm::Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        return swap;
  return nullptr;
}

// Replaces one loop; the analyses are stale then.
bool replace_one(llvm::Function &function, bool &changed) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !swap_in(*loop))
      continue;
    changed |= llvm::simplifyLoop(loop, &dominators, &loops, nullptr, nullptr, nullptr,
                                  /*PreserveLCSSA=*/false);
    llvm::AtomicCmpXchgInst *swap = retried_swap(*loop);
    if (!swap)
      continue;
    UpdateLoop update(*loop, *swap);
    if (update.replace())
      return true;
    changed |= update.has_moved();
  }
  return false;
}

} // namespace

llvm::PreservedAnalyses UpdateLoopsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  bool changed = false;
  while (replace_one(function, changed))
    changed = true;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
