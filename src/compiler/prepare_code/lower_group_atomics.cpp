// Replaces atomic operations that only one work-group can observe by plain ones (atomic_scope.h),
// and those on a privatized argument.
//
// Requires: the function of one work-group, as work-item-loops or lower-suspensions produces it.
// Ensures: no read-modify-write or compare-and-swap is left in address space 3, in work-group
// scope, or on memory that privatized-reductions has marked. Such stores are at most release.
// Atomic products (atomic_multiply.h) become plain ones there, and loops that swap elsewhere.
//
// A work-group runs on one thread at a time, so no other thread can access the memory between the
// load and the store. The same is true of memory that only this worker uses while it runs
// (abi/privatized_reductions.h). A thread observes its own operations in order, and other threads
// synchronize by an operation of a wider scope, which stays. Loads and stores stay atomic: LLVM
// might tear or repeat plain ones. An update by a minimum or maximum first reads the value: few
// updates change it, and reading does not take the line from other cores.
//
// Position: after packetize, which must see that lanes may access the same address. In the
// coroutine form, after all analyses of what an iteration changes: they distinguish updates from
// stores.
#include "compiler/prepare_code/passes.h"

#include "abi/privatized_reductions.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/atomic_scope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

#include <optional>

namespace lockstep::compiler {

namespace {

bool is_of_one_thread(const llvm::Instruction &access) {
  return stays_in_group(access) || access.hasMetadata(privatized_metadata);
}

void lower(llvm::Instruction &access) {
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    llvm::lowerAtomicRMWInst(update);
  else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access))
    llvm::lowerAtomicCmpXchgInst(swap);
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access);
           store && store->getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent)
    store->setOrdering(llvm::AtomicOrdering::Release);
}

std::optional<llvm::Intrinsic::ID> limit_of(const llvm::AtomicRMWInst &update) {
  switch (update.getOperation()) {
  case llvm::AtomicRMWInst::Min:
    return llvm::Intrinsic::smin;
  case llvm::AtomicRMWInst::Max:
    return llvm::Intrinsic::smax;
  case llvm::AtomicRMWInst::UMin:
    return llvm::Intrinsic::umin;
  case llvm::AtomicRMWInst::UMax:
    return llvm::Intrinsic::umax;
  default:
    return std::nullopt;
  }
}

// A relaxed update whose result is unused has no effect if it does not change the value.
bool may_be_skipped(const llvm::AtomicRMWInst &update) {
  return limit_of(update) && update.use_empty() &&
         update.getOrdering() == llvm::AtomicOrdering::Monotonic;
}

void skip_without_change(llvm::AtomicRMWInst &update) {
  llvm::IRBuilder<> builder(&update);
  auto *old =
      builder.CreateAlignedLoad(update.getType(), update.getPointerOperand(), update.getAlign());
  old->setAtomic(llvm::AtomicOrdering::Monotonic, update.getSyncScopeID());
  llvm::Value *changed =
      builder.CreateBinaryIntrinsic(*limit_of(update), old, update.getValOperand());
  llvm::Instruction *then = llvm::SplitBlockAndInsertIfThen(
      builder.CreateICmpNE(old, changed), update.getIterator(), /*Unreachable=*/false);
  update.moveBefore(then->getIterator());
}

} // namespace

llvm::PreservedAnalyses LowerGroupAtomicsPass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> products;
  llvm::SmallVector<llvm::AtomicRMWInst *> limits;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
    if (atomic_multiply(instruction))
      products.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (instruction.isAtomic() && is_of_one_thread(instruction))
      lower(instruction);
    else if (update && may_be_skipped(*update))
      limits.push_back(update);
  }
  for (llvm::CallInst *product : products)
    if (is_of_one_thread(*product))
      lower_to_plain_multiply(*product);
    else
      lower_to_swap_loop(*product);
  for (llvm::AtomicRMWInst *update : limits)
    skip_without_change(*update);
  if (!products.empty() || !limits.empty())
    return llvm::PreservedAnalyses::none();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler
