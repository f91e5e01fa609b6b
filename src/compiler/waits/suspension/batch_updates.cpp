// Lets the launch make the additions of work-groups to one counter in batches.
//
//     if (get_local_id(0) == 0)
//       place = atomic_fetch_add(counter, 1);        // one cache line, which all cores want
//
// A group that comes to its addition is suspended. Its worker runs a few more groups to theirs,
// makes one addition for all of them, and gives each the value that it would have read. So the
// cache line travels once for a batch. Decision 0024 says why that is allowed.
//
// Requires: the kernel of one work-item, after mark-waits and privatized-reductions.
// Ensures: with "lockstep-batched-updates", a kernel that does not wait gets the coroutine form, and
// its additions have the metadata `lockstep.batched` for make-coroutine. Without it, the kernel gets
// "lockstep-adds-to-counter". An addition counts outside of loops, if its result is used, one
// work-item of the group makes it, and all groups use one address.
//
// Position: before the lanes stage, like mark-waits, because the form decides later passes.
#include "compiler/waits/suspension/passes.h"

#include "abi/privatized_reductions.h"
#include "compiler/analysis/argument_members.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/analysis/wait_lanes.h"
#include "kernel_ir/atomic_scope.h"
#include "kernel_ir/form.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// True if the value is computed of arguments, members of arguments and constants only, so that it
// is the same in all groups.
bool is_same_in_all_groups(const llvm::Value &value) {
  llvm::SmallSetVector<const llvm::Value *, 8> open;
  open.insert(&value);
  for (unsigned index = 0; index != open.size(); ++index) {
    auto *source = llvm::dyn_cast<llvm::Instruction>(open[index]);
    if (!source || member_of(*source))
      continue;
    if (source->mayReadOrWriteMemory() ||
        llvm::isa<llvm::PHINode, llvm::CallBase, llvm::AllocaInst>(source))
      return false;
    open.insert_range(source->operands());
  }
  return true;
}

bool is_shared(const llvm::Instruction &update, const llvm::Value &address) {
  return !stays_in_group(update) && is_global(address) && is_same_in_all_groups(address);
}

bool is_addition(const llvm::AtomicRMWInst &update) {
  return (update.getOperation() == llvm::AtomicRMWInst::Add ||
          update.getOperation() == llvm::AtomicRMWInst::Sub) &&
         (update.getType()->isIntegerTy(32) || update.getType()->isIntegerTy(64)) &&
         !update.use_empty() && is_shared(update, *update.getPointerOperand());
}

llvm::SmallVector<llvm::AtomicRMWInst *>
find_additions(llvm::Function &function, const llvm::DominatorTree &dominators,
               const llvm::PostDominatorTree &post_dominators, const llvm::LoopInfo &loops) {
  llvm::SmallVector<llvm::AtomicRMWInst *> additions;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        update && is_addition(*update) && !loops.getLoopFor(update->getParent()))
      additions.push_back(update);
  const auto size = specialized_local_size(function);
  if (additions.empty() || uint64_t(size[0]) * size[1] * size[2] == 1)
    return additions;
  const auto of_one_item =
      blocks_entered_by_one(function, dominators, post_dominators, loops, HeldBack::work_group);
  llvm::erase_if(additions, [&](const llvm::AtomicRMWInst *update) {
    return !of_one_item.contains(update->getParent());
  });
  return additions;
}

bool has_privatized_updates(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function),
                      [](auto &it) { return it.hasMetadata(privatized_metadata); });
}

} // namespace

llvm::PreservedAnalyses BatchUpdatesPass::run(llvm::Function &function,
                                              llvm::FunctionAnalysisManager &analyses) {
  // The size of a frame depends on the local size, and privatized updates need the loop form.
  if (is_resumable(function) || specialized_local_size(function)[0] == 0 ||
      has_privatized_updates(function))
    return llvm::PreservedAnalyses::all();
  const auto additions =
      find_additions(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                     analyses.getResult<llvm::PostDominatorTreeAnalysis>(function),
                     analyses.getResult<llvm::LoopAnalysis>(function));
  if (additions.empty())
    return llvm::PreservedAnalyses::all();
  if (!function.hasFnAttribute(batched_updates)) {
    remark(*additions.front(), "atomics",
           "a launch of many groups makes the additions of several work-groups at once");
    function.addFnAttr(adds_to_counter);
    return llvm::PreservedAnalyses::all();
  }
  set_resumable_by_group(function);
  for (llvm::AtomicRMWInst *update : additions) {
    remark(*update, "atomics", "the launch makes the additions of several work-groups at once");
    update->setMetadata(batched_update_metadata, llvm::MDNode::get(function.getContext(), {}));
  }
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
