// Replaces loops that update a location by compare-and-swap by the atomic update that they are.
//
//   do { old = *p; } while (atomic_cmpxchg(p, old, max(old, value)) != old);
// becomes
//   atomic_max(p, value);
//
// Requires: a function of one work-item after scalar optimization.
// Ensures: the same values in memory. A loop is replaced if all of these hold:
// - It repeats only because its swap failed (waits/analysis/retry_loops.h), and does nothing else.
// - It ends when its swap succeeded, or if the location already has the minimum or maximum that the
//   swap would store.
// - The new value is a sum, difference, product, minimum, maximum, and, or, or xor of the old value
//   and of a value that the loop does not change. For floating point, sums and products need
//   `reassoc` (-cl-unsafe-math-optimizations), since updates are combined.
//
// Later passes know atomic updates: they combine lanes, and workers may have copies
// (arguments/privatized_reductions.h). A product becomes a call of __lockstep_atomic_multiply
// (kernel_ir/atomic_multiply.h), unless the loop's old value is used.
// Position: before mark-waits, which makes lanes execute such loops one at a time.
#include "compiler/waits/analysis/retry_loops.h"
#include "compiler/work_item/passes.h"
#include "compiler/work_item/update_loop.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/synchronization_notes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <optional>

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

// `value` of the loop, computed from the value that the update read.
Value *result_of(const UpdateLoop &update, const UpdateOperation &operation,
                 llvm::IRBuilder<> &builder, Value *value, Value *old) {
  auto *instruction = llvm::dyn_cast<Instruction>(value);
  if (!instruction || !update.loop().contains(instruction))
    return value;
  if (update.is_success(value))
    return builder.getTrue();
  if (update.is_old(value))
    return builder.CreateBitCast(old, value->getType());
  if (update.has_limit())
    return operation.operand;
  auto *computed = llvm::cast<Instruction>(bits_of(value));
  Instruction *copy = computed->clone();
  for (llvm::Use &operand : copy->operands())
    if (update.is_old(operand))
      operand.set(builder.CreateBitCast(old, operand->getType()));
  return builder.CreateBitCast(builder.Insert(copy), value->getType());
}

// Returns the old value; null for a product.
Value *emit(const UpdateLoop &update, const UpdateOperation &operation,
            llvm::IRBuilder<> &builder) {
  llvm::AtomicCmpXchgInst &swap = update.swap();
  if (!operation.update) {
    create_atomic_multiply(builder, {swap.getPointerOperand(), operation.operand, update.ordering(),
                                     is_hidden_from_host(swap)});
    return nullptr;
  }
  auto *atomic =
      builder.CreateAtomicRMW(*operation.update, swap.getPointerOperand(), operation.operand,
                              swap.getAlign(), update.ordering(), swap.getSyncScopeID());
  atomic->setVolatile(swap.isVolatile());
  return atomic;
}

void leave_loop(const UpdateLoop &update, const UpdateOperation &operation,
                llvm::IRBuilder<> &builder, Value *old) {
  const llvm::Loop &loop = update.loop();
  BasicBlock *preheader = loop.getLoopPreheader();
  llvm::DenseMap<Value *, Value *> made;
  auto of_update = [&](Value *value) {
    Value *&found = made[value];
    if (!found)
      found = result_of(update, operation, builder, value, old);
    return found;
  };
  // The loop's own edges disappear with its blocks.
  for (llvm::PHINode &phi : update.exit().phis())
    for (BasicBlock *before : llvm::SmallVector<BasicBlock *>(phi.blocks()))
      if (loop.contains(before)) {
        phi.addIncoming(of_update(phi.getIncomingValueForBlock(before)), preheader);
        break;
      }
  for (Value *value : update.results())
    value->replaceUsesWithIf(of_update(value), [&](llvm::Use &use) {
      auto *user = llvm::cast<Instruction>(use.getUser());
      return !loop.contains(user);
    });
  preheader->getTerminator()->setSuccessor(0, &update.exit());
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

void replace(const UpdateLoop &update, const UpdateOperation &operation) {
  llvm::AtomicCmpXchgInst &swap = update.swap();
  llvm::LoadInst *read = update.superfluous_read();
  remark(swap, "atomics", "the loop that swaps is one atomic update");
  llvm::IRBuilder<> builder(update.loop().getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(swap.getDebugLoc());
  leave_loop(update, operation, builder, emit(update, operation, builder));
  const llvm::SmallVector<BasicBlock *> blocks(update.loop().blocks());
  llvm::DeleteDeadBlocks(blocks);
  if (read)
    erase_read(*read);
}

llvm::AtomicCmpXchgInst *swap_in(const llvm::Loop &loop) {
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
        return swap;
  return nullptr;
}

// Replaces one loop; the analyses are stale then.
bool replace_one(llvm::Function &function, const SynchronizationNotes *exactly, bool &changed) {
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
    UpdateLoop update(*loop, *swap, exactly);
    if (const auto operation = update.find()) {
      replace(update, *operation);
      return true;
    }
    changed |= update.has_moved();
  }
  return false;
}

} // namespace

namespace {

bool changes_nothing(const llvm::AtomicRMWInst &update) {
  using llvm::AtomicRMWInst;
  auto *operand = llvm::dyn_cast<llvm::ConstantInt>(update.getValOperand());
  if (!operand)
    return false;
  switch (update.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return operand->isZero();
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return operand->isMinusOne();
  case AtomicRMWInst::Max:
    return operand->isMinValue(/*IsSigned=*/true);
  case AtomicRMWInst::Min:
    return operand->isMaxValue(/*IsSigned=*/true);
  default:
    return false;
  }
}

template <class Update> llvm::LoadInst *load_instead(Update &update, llvm::Type *type) {
  llvm::IRBuilder<> builder(&update);
  llvm::LoadInst *load = builder.CreateAlignedLoad(type, update.getPointerOperand(),
                                                   update.getAlign(), update.isVolatile());
  load->setAtomic(llvm::AtomicOrdering::Monotonic, update.getSyncScopeID());
  return load;
}

// A relaxed update that never changes its location, as `atomic_or(flag, 0)`, becomes a relaxed load.
// OpenCL C 1.x has no other atomic load, so programs poll by it. The lanes of a loop that polls by
// updates would take turns, since an update may be a lock.
bool replace_updates_that_change_nothing(llvm::Function &function) {
  bool changed = false;
  for (Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    Value *result = nullptr;
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && update->getOrdering() == llvm::AtomicOrdering::Monotonic &&
        changes_nothing(*update))
      result = load_instead(*update, update->getType());
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction);
    if (swap && swap->getMergedOrdering() == llvm::AtomicOrdering::Monotonic &&
        swap->getCompareOperand() == swap->getNewValOperand()) {
      llvm::LoadInst *old = load_instead(*swap, swap->getCompareOperand()->getType());
      llvm::IRBuilder<> builder(&instruction);
      result = builder.CreateInsertValue(llvm::PoisonValue::get(swap->getType()), old, uint64_t{0});
      result = builder.CreateInsertValue(
          result, builder.CreateICmpEQ(old, swap->getCompareOperand()), uint64_t{1});
    }
    if (!result)
      continue;
    instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace

llvm::PreservedAnalyses UpdateLoopsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  bool changed = !exactly_ && replace_updates_that_change_nothing(function);
  std::optional<SynchronizationNotes> notes;
  if (exactly_)
    notes.emplace(*function.getParent());
  while (replace_one(function, notes ? &*notes : nullptr, changed))
    changed = true;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
