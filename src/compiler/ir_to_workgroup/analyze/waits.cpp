#include "compiler/ir_to_workgroup/analyze/waits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

bool is_private(const llvm::Value *pointer) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
}

// Each execution of `access` moves the counter on, so a loop around it ends by itself.
bool moves_on(const llvm::AtomicRMWInst &access) {
  auto *step = llvm::dyn_cast<llvm::ConstantInt>(access.getValOperand());
  return step && !step->isZero() &&
         (access.getOperation() == llvm::AtomicRMWInst::Add ||
          access.getOperation() == llvm::AtomicRMWInst::Sub);
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

// All instructions of `loop` that `condition` depends on, by data or by branches inside the loop.
llvm::SetVector<const llvm::Instruction *> slice(const llvm::Value *condition,
                                                 const llvm::Loop &loop) {
  llvm::SetVector<const llvm::Instruction *> found;
  llvm::SmallVector<const llvm::Value *> open = {condition};
  while (!open.empty()) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !found.insert(instruction))
      continue;
    open.append(instruction->op_begin(), instruction->op_end());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction))
      for (const llvm::BasicBlock *from : phi->blocks())
        if (loop.contains(from)) { // what decided for this edge
          open.push_back(from->getTerminator());
          for (const llvm::BasicBlock *before : llvm::predecessors(from))
            open.push_back(before->getTerminator());
        }
  }
  return found;
}

const llvm::AtomicCmpXchgInst *swap_of(const llvm::Value *value, unsigned field) {
  while (auto *cast = llvm::dyn_cast<llvm::CastInst>(value))
    value = cast->getOperand(0);
  auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(value);
  if (!extract || extract->getIndices() != llvm::ArrayRef<unsigned>(field))
    return nullptr;
  return llvm::dyn_cast<llvm::AtomicCmpXchgInst>(extract->getAggregateOperand());
}

// The swap whose success alone is `condition` (or its opposite).
const llvm::AtomicCmpXchgInst *retried_swap(const llvm::Value *condition) {
  using namespace llvm::PatternMatch;
  const llvm::Value *inner;
  while (match(condition, m_Not(m_Value(inner))))
    condition = inner;
  if (auto *swap = swap_of(condition, 1))
    return swap;
  auto *compare = llvm::dyn_cast<llvm::CmpInst>(condition);
  if (!compare)
    return nullptr;
  for (unsigned side : {0u, 1u})
    if (auto *swap = swap_of(compare->getOperand(side), 0)) {
      const llvm::Value *other = compare->getOperand(1 - side),
                        *expected = swap->getCompareOperand();
      if (other->stripPointerCasts() == expected || match(expected, m_BitCast(m_Specific(other))) ||
          match(other, m_BitCast(m_Specific(expected))))
        return swap;
    }
  return nullptr;
}

// The expected value is read anew in each iteration: from the location, or from the failed swap.
bool expects_what_it_read(const llvm::AtomicCmpXchgInst &swap, const llvm::Loop &loop) {
  for (const llvm::Instruction *source : slice(swap.getCompareOperand(), loop)) {
    if (source == &swap)
      return true;
    auto *load = llvm::dyn_cast<llvm::LoadInst>(source);
    if (load && load->getPointerOperand() == swap.getPointerOperand())
      return true;
  }
  return false;
}

} // namespace

const llvm::Instruction *find_wait(const llvm::Function &function, const llvm::LoopInfo &loops) {
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    llvm::SmallVector<llvm::BasicBlock *> exiting;
    loop->getExitingBlocks(exiting);
    for (const llvm::BasicBlock *block : exiting) {
      const llvm::Value *condition = nullptr;
      if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
          branch && branch->isConditional())
        condition = branch->getCondition();
      else if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(block->getTerminator()))
        condition = choice->getCondition();
      if (!condition)
        continue;
      if (auto *swap = retried_swap(condition);
          swap && loop->contains(swap) && expects_what_it_read(*swap, *loop))
        continue;
      for (const llvm::Instruction *source : slice(condition, *loop))
        if (may_be_changed_by_others(*source))
          return source;
    }
  }
  return nullptr;
}

} // namespace lockstep::compiler
