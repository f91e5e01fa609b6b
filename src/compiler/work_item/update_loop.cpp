#include "compiler/work_item/update_loop.h"

#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/synchronization_notes.h"

#include "abi/address_spaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool UpdateLoop::is_part(const Value *value, unsigned field) const {
  auto *part = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  return part && part->getAggregateOperand() == &swap_ && part->getIndices()[0] == field;
}

bool UpdateLoop::is_old(Value *value) const {
  return bits_of(value) == bits_of(swap_.getCompareOperand()) || is_part(bits_of(value), 0);
}

bool UpdateLoop::is_read_in_loop() const {
  auto *read = llvm::dyn_cast<llvm::LoadInst>(bits_of(swap_.getCompareOperand()));
  return read && loop_.contains(read);
}

bool UpdateLoop::only_updates() {
  bool reads_others = false;
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
          reads_others |= !llvm::isa<llvm::AllocaInst>(load->getPointerOperand());
          continue;
        }
        if (llvm::isStrongerThan(load->getOrdering(), reads_))
          reads_ = load->getOrdering();
      } else if (instruction.mayHaveSideEffects() || instruction.mayReadOrWriteMemory()) {
        return false;
      }
    }
  return !reads_others || !llvm::isStrongerThanMonotonic(reads_);
}

// Another work-item that changes the memory between two iterations makes a data race, unless the
// failed swap or a read of the location acquires. No other work-item changes a variable.
bool UpdateLoop::may_read_once(const llvm::LoadInst &load) const {
  if (load.isSimple() && llvm::isa<llvm::AllocaInst>(load.getPointerOperand()))
    return true;
  return load.isSimple() && !llvm::isStrongerThanMonotonic(swap_.getFailureOrdering());
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

std::optional<UpdateOperation> UpdateLoop::operation_of(Instruction &result) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&result)) {
    auto update = update_of(call->getIntrinsicID());
    if (!update)
      return std::nullopt;
    Value *one = call->getArgOperand(0), *other = call->getArgOperand(1);
    return UpdateOperation{update, is_old(one) ? other : one};
  }
  if (!llvm::isa<llvm::BinaryOperator>(result))
    return std::nullopt;
  Value *one = result.getOperand(0), *other = result.getOperand(1);
  if (result.getOpcode() == Instruction::Sub && is_old(one))
    return UpdateOperation{AtomicRMWInst::Sub, other};
  if (auto *bits = llvm::dyn_cast<llvm::ConstantInt>(other);
      bits && result.getOpcode() == Instruction::Shl && is_old(one)) // a product with a constant
    return product_of_shift(*bits);
  return commutative_update(result, is_old(one) ? other : one);
}

std::optional<UpdateOperation> UpdateLoop::find_operation() {
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
    if (!update || bits_of(value) != result || !is_old(old) || !hoist(value))
      return std::nullopt;
    return UpdateOperation{update, value};
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

bool UpdateLoop::is_exact_read(const llvm::LoadInst &read) const {
  const bool is_plain = !read.isAtomic() && (!read.isVolatile() || exactly_->are_strict());
  return !is_plain && (read.getOrdering() == swap_.getSuccessOrdering() ||
                       !llvm::isStrongerThanMonotonic(read.getOrdering()));
}

bool UpdateLoop::is_exact(const UpdateOperation &operation) const {
  if (limit_ || swap_.getMergedOrdering() != swap_.getSuccessOrdering())
    return false;
  const llvm::LoadInst *first = first_read();
  if (first && !is_exact_read(*first))
    return false;
  for (const BasicBlock *block : loop_.blocks())
    for (const Instruction &instruction : *block)
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && !is_exact_read(*load))
        return false;
  if (operation.update)
    return true;
  const SynchronizationNote *note = exactly_->at(swap_.getDebugLoc());
  return !(note && note->scope < CheckScope::device);
}

AtomicOrdering UpdateLoop::ordering() const {
  const AtomicOrdering swap = swap_.getMergedOrdering();
  if (reads_ == AtomicOrdering::SequentiallyConsistent)
    return reads_;
  if (reads_ == AtomicOrdering::Acquire && swap == AtomicOrdering::Release)
    return AtomicOrdering::AcquireRelease;
  return llvm::isStrongerThan(reads_, swap) ? reads_ : swap;
}

llvm::LoadInst *UpdateLoop::superfluous_read() const {
  llvm::LoadInst *read = first_read();
  const bool can_go =
      read && (is_first_read_recent() || !llvm::isStrongerThanMonotonic(read->getOrdering()));
  return can_go ? read : nullptr;
}

std::optional<UpdateOperation> UpdateLoop::find() {
  exit_ = loop_.getUniqueExitBlock();
  const auto *type = llvm::dyn_cast<llvm::IntegerType>(swap_.getCompareOperand()->getType());
  if (!type || (type->getBitWidth() != 32 && type->getBitWidth() != 64) || !loop_.isInnermost() ||
      !loop_.getLoopPreheader() || !exit_ || !only_updates() || !ends_after_update())
    return std::nullopt;
  // At a limit, the loop ends by what it read. The update reads later, so the order of the
  // accesses must allow that.
  if (limit_ && !is_read_in_loop() && !is_first_read_recent())
    return std::nullopt;
  const auto operation = find_operation();
  if (!operation || (exactly_ && !is_exact(*operation)) || !find_results() ||
      (!operation->update && !may_be_product()))
    return std::nullopt;
  if (is_first_read_recent() && llvm::isStrongerThan(first_read()->getOrdering(), reads_))
    reads_ = first_read()->getOrdering();
  return operation;
}

} // namespace lockstep::compiler
