#include "compiler/waits/suspension/last_additions.h"

#include "abi/address_spaces.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

bool is_of_group(const llvm::Value &pointer) {
  return is_private(&pointer) || is_local(&pointer);
}

// Whether the instruction may come after an addition that is delayed.
bool is_without_effect(const llvm::Instruction &instruction) {
  if (!instruction.mayReadOrWriteMemory() && !instruction.mayThrow() && instruction.willReturn())
    return true;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple();
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return store->isSimple() && is_of_group(*store->getPointerOperand());
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && (call->isLifetimeStartOrEnd() || call->isAssumeLikeIntrinsic());
}

bool are_without_effect(llvm::BasicBlock::const_iterator begin,
                        llvm::BasicBlock::const_iterator end) {
  return std::all_of(begin, end, is_without_effect);
}

// Whether no path from the instruction has an effect, or leads back to it.
bool is_last_effect(const llvm::Instruction &instruction) {
  const llvm::BasicBlock *own = instruction.getParent();
  if (!are_without_effect(std::next(instruction.getIterator()), own->end()))
    return false;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> seen;
  llvm::SmallVector<const llvm::BasicBlock *, 8> open{own};
  while (!open.empty())
    for (const llvm::BasicBlock *next : llvm::successors(open.pop_back_val())) {
      if (next == own || !are_without_effect(next->begin(), next->end()))
        return false;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  return true;
}

bool is_addition(const llvm::AtomicRMWInst &update) {
  return (update.getOperation() == llvm::AtomicRMWInst::Add ||
          update.getOperation() == llvm::AtomicRMWInst::Sub) &&
         (update.getType()->isIntegerTy(32) || update.getType()->isIntegerTy(64)) &&
         update.use_empty() && !update.isVolatile() && !stays_in_group(update) &&
         !update.hasMetadata(batched_update_metadata);
}

} // namespace

llvm::SmallVector<llvm::AtomicRMWInst *, 4> last_additions(llvm::Function &function) {
  llvm::SmallVector<llvm::AtomicRMWInst *, 4> found;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && is_addition(*update) && !is_of_group(*update->getPointerOperand()) &&
        is_last_effect(*update))
      found.push_back(update);
  return found;
}

} // namespace lockstep::compiler
