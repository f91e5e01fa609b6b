#include "compiler/waits/analysis/retry_loops.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/waits/analysis/loop_slice.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

bool changes_nothing(const llvm::Instruction &instruction) {
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return swap->getCompareOperand() == swap->getNewValOperand();
  auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
  auto *number = update ? llvm::dyn_cast<llvm::ConstantInt>(update->getValOperand()) : nullptr;
  if (!number)
    return false;
  switch (update->getOperation()) {
  case llvm::AtomicRMWInst::Add:
  case llvm::AtomicRMWInst::Sub:
  case llvm::AtomicRMWInst::Or:
  case llvm::AtomicRMWInst::Xor:
  case llvm::AtomicRMWInst::UMax:
    return number->isZero();
  case llvm::AtomicRMWInst::And:
  case llvm::AtomicRMWInst::UMin:
    return number->isMinusOne();
  case llvm::AtomicRMWInst::Max:
    return number->isMinValue(/*IsSigned=*/true);
  case llvm::AtomicRMWInst::Min:
    return number->isMaxValue(/*IsSigned=*/true);
  default:
    return false;
  }
}

namespace {

using llvm::AtomicCmpXchgInst;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

bool is_same_location(const Value *one, const Value *other) {
  return is_same_value(one->stripPointerCasts(), other->stripPointerCasts());
}

bool is_part(const Value *value, const Value *of, unsigned field) {
  auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  return extract && extract->getAggregateOperand() == of &&
         extract->getIndices() == llvm::ArrayRef<unsigned>(field);
}

class RetryLoop {
public:
  RetryLoop(const llvm::Loop &loop, const AtomicCmpXchgInst &swap)
      : loop_(loop), swap_(swap), place_(swap.getPointerOperand()),
        query_(swap.getModule()->getDataLayout()) {}

  bool repeats_only_after_failure() const {
    return !is_disturbed() && is_current(swap_.getCompareOperand(), /*of_this_iteration=*/false) &&
           !latch_is_reached_otherwise();
  }

private:
  // ---- what the swap expects

  // True if the loop writes the location otherwise, so that its own write may make the swap fail.
  bool is_disturbed() const {
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &instruction : *block)
        if (auto written = written_by(instruction); &instruction != &swap_ && written && *written &&
                                                    is_same_location(*written, place_) &&
                                                    !changes_nothing(instruction))
          return true;
    return false;
  }

  // True if `value` was read from the location in this iteration, or returned by the failed swap of
  // the previous iteration. An older value would be one that the loop waits for. Before the first
  // iteration it may be any value, since the next iteration has the right one.
  bool is_current(const Value *value, bool of_this_iteration) const {
    llvm::SetVector<const Value *> open;
    open.insert(value);
    for (unsigned index = 0; index != open.size(); ++index) {
      auto *source = llvm::dyn_cast<Instruction>(open[index]);
      if (!source || !loop_.contains(source))
        return false;
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(source)) {
        if (phi->getParent() != loop_.getHeader())
          open.insert_range(phi->incoming_values());
        else if (of_this_iteration || !loop_.isLoopInvariant(place_) ||
                 !is_current(phi->getIncomingValueForBlock(loop_.getLoopLatch()),
                             /*of_this_iteration=*/true))
          return false;
      } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(source)) {
        open.insert(select->getTrueValue());
        open.insert(select->getFalseValue());
      } else if (keeps_all_bits(*source)) {
        open.insert(source->getOperand(0));
      } else if (!reads_place(*source)) {
        return false;
      }
    }
    return true;
  }

  bool keeps_all_bits(const Instruction &instruction) const {
    auto *cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
    return llvm::isa<llvm::FreezeInst>(instruction) || (cast && cast->isNoopCast(query_.DL));
  }

  bool reads_place(const Instruction &source) const {
    const Instruction *access = &source;
    if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(&source)) {
      access = llvm::dyn_cast<AtomicCmpXchgInst>(extract->getAggregateOperand());
      if (!access || extract->getIndices() != llvm::ArrayRef<unsigned>(0))
        return false;
    }
    if (access == &swap_)
      return true;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(access))
      return is_same_location(load->getPointerOperand(), place_);
    return changes_nothing(*access) && is_same_location(*written_by(*access), place_);
  }

  // ---- when the loop begins another iteration

  bool latch_is_reached_otherwise() const {
    llvm::SmallPtrSet<const BasicBlock *, 16> seen;
    llvm::SmallVector<const BasicBlock *> open{loop_.getHeader()};
    while (!open.empty()) {
      const BasicBlock *block = open.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      for (const BasicBlock *next : llvm::successors(block)) {
        if (!loop_.contains(next) || is_after_failure(*block, *next))
          continue;
        if (next == loop_.getHeader())
          return true;
        open.push_back(next);
      }
    }
    return false;
  }

  bool is_after_failure(const BasicBlock &block, const BasicBlock &next) const {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      return false;
    return rules_out_success(*branch->getCondition(), branch->getSuccessor(0) == &next, 0);
  }

  // True if `condition` differs from `value` whenever the swap of this iteration succeeded.
  bool rules_out_success(const Value &condition, bool value, unsigned depth) const {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(&condition))
      return known->isOne() != value;
    if (depth == limits::search_depth)
      return false;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&condition))
      return loop_.contains(phi) && phi->getParent() != loop_.getHeader() &&
             llvm::all_of(phi->incoming_values(), [&](const llvm::Use &incoming) {
               return rules_out_success(*incoming, value, depth + 1);
             });
    auto *known = llvm::dyn_cast_or_null<llvm::ConstantInt>(after_success(&condition, 0));
    return known && known->isOne() != value;
  }

  // Simplifies a value under the condition that the swap succeeded, so that it returned the
  // expected value.
  const Value *after_success(const Value *value, unsigned depth) const {
    if (is_part(value, &swap_, 1))
      return llvm::ConstantInt::getTrue(value->getContext());
    if (is_part(value, &swap_, 0))
      return after_success(swap_.getCompareOperand(), depth);
    auto *instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || depth == limits::search_depth || !loop_.contains(instruction) ||
        llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory())
      return value;
    llvm::SmallVector<Value *, 4> operands;
    for (const llvm::Use &operand : instruction->operands())
      operands.push_back(const_cast<Value *>(after_success(operand, depth + 1)));
    if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(instruction);
        compare && is_same_after_success(operands[0], operands[1], depth + 1))
      return llvm::ConstantInt::getBool(compare->getType(), compare->isTrueWhenEqual());
    if (auto *compare = llvm::dyn_cast<llvm::FCmpInst>(instruction);
        compare && compare->hasNoNaNs() && operands[0] == operands[1])
      return llvm::ConstantInt::getBool(compare->getType(),
                                        compare->getPredicate() & llvm::CmpInst::FCMP_OEQ);
    const Value *simple =
        simplifyInstructionWithOperands(const_cast<Instruction *>(instruction), operands, query_);
    return simple ? simple : value;
  }

  bool is_same_after_success(const Value *one, const Value *other, unsigned depth) const {
    one = after_success(one, depth);
    other = after_success(other, depth);
    if (one == other)
      return true;
    auto *first = llvm::dyn_cast<Instruction>(one), *second = llvm::dyn_cast<Instruction>(other);
    if (!first || !second || depth >= limits::search_depth || !first->isSameOperationAs(second) ||
        llvm::isa<llvm::PHINode, llvm::FreezeInst>(first) || first->mayReadOrWriteMemory() ||
        llvm::isa<llvm::CallBase>(first))
      return false;
    for (unsigned index = 0; index != first->getNumOperands(); ++index)
      if (!is_same_after_success(first->getOperand(index), second->getOperand(index), depth + 1))
        return false;
    return true;
  }

  const llvm::Loop &loop_;
  const AtomicCmpXchgInst &swap_;
  const Value *const place_;
  const llvm::SimplifyQuery query_;
};

} // namespace

AtomicCmpXchgInst *retried_swap(const llvm::Loop &loop) {
  if (!loop.getLoopLatch())
    return nullptr;
  auto is_in_inner_loop = [&](const BasicBlock *block) {
    return llvm::any_of(loop.getSubLoops(), [&](auto *inner) { return inner->contains(block); });
  };
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (auto *swap = llvm::dyn_cast<AtomicCmpXchgInst>(&instruction);
          swap && !is_in_inner_loop(block) && RetryLoop(loop, *swap).repeats_only_after_failure())
        return const_cast<AtomicCmpXchgInst *>(swap);
  return nullptr;
}

} // namespace lockstep::compiler
