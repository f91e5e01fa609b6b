#include "compiler/ir_to_workgroup/analyze/waits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

const llvm::Value *object_of(const llvm::Value *pointer) {
  return llvm::getUnderlyingObject(pointer);
}

bool is_private(const llvm::Value *pointer) {
  return llvm::isa<llvm::AllocaInst>(object_of(pointer));
}

// Each execution of `access` moves the counter on, so a loop around it ends by itself.
bool moves_on(const llvm::AtomicRMWInst &access) {
  auto *step = llvm::dyn_cast<llvm::ConstantInt>(access.getValOperand());
  return step && !step->isZero() &&
         (access.getOperation() == llvm::AtomicRMWInst::Add ||
          access.getOperation() == llvm::AtomicRMWInst::Sub);
}

// The condition of a terminator that has one.
const llvm::Value *condition_of(const llvm::Instruction &terminator) {
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&terminator))
    return branch->isConditional() ? branch->getCondition() : nullptr;
  auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator);
  return choice ? choice->getCondition() : nullptr;
}

// All instructions of a loop that a condition depends on.
class Slice {
public:
  Slice(const llvm::Loop &loop, const llvm::DominatorTree &dominators)
      : loop_(loop), dominators_(dominators) {}

  void add(const llvm::Value *value) {
    open_.push_back(value);
    while (!open_.empty()) {
      auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(open_.pop_back_val());
      if (!instruction || !loop_.contains(instruction) || !found_.insert(instruction))
        continue;
      open_.append(instruction->op_begin(), instruction->op_end());
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction))
        add_choice_of(*phi);
      else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction))
        add_stores_to(*load);
    }
  }

  // What decides whether `block` is reached in an iteration.
  void add_control_of(const llvm::BasicBlock &block) {
    push_control_of(block);
    add(nullptr);
  }

  const llvm::SetVector<const llvm::Instruction *> &found() const { return found_; }

private:
  void push_control_of(const llvm::BasicBlock &block) {
    const llvm::BasicBlock *latch = loop_.getLoopLatch();
    if (!latch || !dominators_.dominates(&block, latch))
      add_conditions_before({&block}, loop_.getHeader());
  }

  // Which way control came; one way says nothing.
  void add_choice_of(const llvm::PHINode &phi) {
    llvm::SmallVector<const llvm::BasicBlock *> ways;
    for (const llvm::BasicBlock *from : phi.blocks())
      if (loop_.contains(from))
        ways.push_back(from);
    const llvm::BasicBlock *block = phi.getParent();
    if (ways.size() < 2)
      return;
    const auto *above = dominators_.getNode(block)->getIDom();
    bool stays = above && loop_.contains(above->getBlock());
    add_conditions_before(ways, block == loop_.getHeader() || !stays ? loop_.getHeader()
                                                                     : above->getBlock());
  }

  // The conditions in all blocks on the ways from `first` to `blocks`.
  void add_conditions_before(llvm::SmallVector<const llvm::BasicBlock *> blocks,
                             const llvm::BasicBlock *first) {
    llvm::SmallPtrSet<const llvm::BasicBlock *, 16> seen;
    while (!blocks.empty()) {
      const llvm::BasicBlock *block = blocks.pop_back_val();
      if (!loop_.contains(block) || !seen.insert(block).second)
        continue;
      if (const llvm::Value *condition = condition_of(*block->getTerminator()))
        open_.push_back(condition);
      if (block != first)
        blocks.append(llvm::pred_begin(block), llvm::pred_end(block));
    }
  }

  // What the loop itself may have put there.
  void add_stores_to(const llvm::LoadInst &load) {
    const llvm::Value *object = object_of(load.getPointerOperand());
    for (const llvm::BasicBlock *block : loop_.blocks())
      for (const llvm::Instruction &instruction : *block) {
        auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (!store || !may_be_same(*object, *object_of(store->getPointerOperand())))
          continue;
        open_.push_back(store->getValueOperand());
        if (stores_.insert(store).second)
          push_control_of(*block);
      }
  }

  static bool may_be_same(const llvm::Value &one, const llvm::Value &other) {
    if (&one == &other)
      return true;
    if (llvm::isIdentifiedObject(&one) || llvm::isIdentifiedObject(&other))
      return false; // a local variable does not meet an argument's memory
    return one.getType() == other.getType();
  }

  const llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  llvm::SetVector<const llvm::Instruction *> found_;
  llvm::SmallPtrSet<const llvm::StoreInst *, 8> stores_;
  llvm::SmallVector<const llvm::Value *> open_;
};

// ---- retry loops

const llvm::AtomicCmpXchgInst *swap_of(const llvm::Value *value, unsigned field) {
  while (auto *cast = llvm::dyn_cast<llvm::CastInst>(value))
    value = cast->getOperand(0);
  auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  if (!extract || extract->getIndices() != llvm::ArrayRef<unsigned>(field))
    return nullptr;
  return llvm::dyn_cast<llvm::AtomicCmpXchgInst>(extract->getAggregateOperand());
}

struct Retry {
  const llvm::AtomicCmpXchgInst *swap = nullptr;
  bool success = true; // the condition's value when the swap succeeded
};

// The swap whose success alone is `condition` (or its opposite).
Retry swap_decided_by(const llvm::Value *condition) {
  using namespace llvm::PatternMatch;
  Retry retry;
  const llvm::Value *inner;
  while (match(condition, m_Not(m_Value(inner)))) {
    condition = inner;
    retry.success = !retry.success;
  }
  if (auto *swap = swap_of(condition, 1)) {
    retry.swap = swap;
    return retry;
  }
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !compare->isEquality())
    return {};
  if (compare->getPredicate() == llvm::CmpInst::ICMP_NE)
    retry.success = !retry.success;
  for (unsigned side : {0u, 1u})
    if (auto *swap = swap_of(compare->getOperand(side), 0)) {
      const llvm::Value *other = compare->getOperand(1 - side),
                        *expected = swap->getCompareOperand();
      if (other->stripPointerCasts() == expected || match(expected, m_BitCast(m_Specific(other))) ||
          match(other, m_BitCast(m_Specific(expected)))) {
        retry.swap = swap;
        return retry;
      }
    }
  return {};
}

// Is `value`, of this round, what the loop read in this round or in the one before: from the
// location, or from the failed swap? A value that is kept for longer is something to wait for.
// Before the first round it may be anything, since the next one has the right one.
bool is_what_was_read(const llvm::Value *value, const llvm::AtomicCmpXchgInst &swap,
                      const llvm::Loop &loop, bool of_this_round) {
  llvm::SetVector<const llvm::Value *> open;
  open.insert(value);
  for (unsigned index = 0; index != open.size(); ++index) {
    auto *source = llvm::dyn_cast<llvm::Instruction>(open[index]);
    if (!source || !loop.contains(source))
      return false;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(source)) {
      if (phi->getParent() != loop.getHeader())
        open.insert_range(phi->incoming_values());
      else if (of_this_round ||
               !is_what_was_read(phi->getIncomingValueForBlock(loop.getLoopLatch()), swap, loop,
                                 /*of_this_round=*/true))
        return false;
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(source)) {
      open.insert(select->getTrueValue());
      open.insert(select->getFalseValue());
    } else if (llvm::isa<llvm::BitCastInst, llvm::IntToPtrInst, llvm::PtrToIntInst,
                         llvm::FreezeInst>(source)) {
      open.insert(source->getOperand(0));
    } else if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(source)) {
      if (extract->getAggregateOperand() != &swap || extract->getIndices().front() != 0)
        return false;
    } else {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(source);
      if (!load || load->getPointerOperand() != swap.getPointerOperand())
        return false;
    }
  }
  return true;
}

Wait examine(llvm::Loop &loop, const llvm::DominatorTree &dominators) {
  Wait wait;
  wait.loop = &loop;
  llvm::SmallVector<llvm::BasicBlock *> exiting;
  loop.getExitingBlocks(exiting);
  Slice slice(loop, dominators);
  for (const llvm::BasicBlock *block : exiting)
    if (const llvm::Value *condition = condition_of(*block->getTerminator())) {
      slice.add_control_of(*block);
      slice.add(condition);
    }
  for (const llvm::Instruction *source : slice.found()) {
    auto *instruction = const_cast<llvm::Instruction *>(source);
    if (may_be_changed_by_others(*source))
      wait.accesses.push_back(instruction);
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction);
        phi && phi->getParent() == loop.getHeader())
      wait.state.push_back(phi);
  }
  return wait;
}

} // namespace

llvm::AtomicCmpXchgInst *retried_swap(const llvm::Loop &loop,
                                      const llvm::DominatorTree &dominators) {
  const llvm::BasicBlock *latch = loop.getLoopLatch();
  for (const llvm::BasicBlock *block : loop.blocks()) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!latch || !branch || !branch->isConditional() || !dominators.dominates(block, latch))
      continue;
    Retry retry = swap_decided_by(branch->getCondition());
    if (retry.swap && loop.contains(retry.swap) &&
        !loop.contains(branch->getSuccessor(retry.success ? 0 : 1)) &&
        is_what_was_read(retry.swap->getCompareOperand(), *retry.swap, loop,
                         /*of_this_round=*/false))
      return const_cast<llvm::AtomicCmpXchgInst *>(retry.swap);
  }
  return nullptr;
}

bool may_be_changed_by_others(const llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return (load->isAtomic() || load->isVolatile()) && !is_private(load->getPointerOperand());
  if (auto *access = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    return !is_private(access->getPointerOperand()) && !moves_on(*access);
  if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    return !is_private(swap->getPointerOperand());
  return false;
}

std::vector<Wait> find_waits(llvm::Function &function, const llvm::LoopInfo &loops,
                             const llvm::DominatorTree &dominators) {
  std::vector<Wait> waits;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (retried_swap(*loop, dominators))
      continue;
    Wait wait = examine(*loop, dominators);
    if (!wait.accesses.empty())
      waits.push_back(std::move(wait));
  }
  return waits;
}

} // namespace lockstep::compiler
