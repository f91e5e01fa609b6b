// Drops `noalias` from pointers through which other work-items may write the same object.
//
// A work-item promises that it accesses an object through its `restrict` pointer only. LLVM assumes
// a single thread and concludes more: a call without that pointer, even a barrier, does not change
// the object. In
//
//     uint add = i >= step ? restricted[i - step] : 0;
//     barrier(CLK_LOCAL_MEM_FENCE);
//     restricted[i] += add;
//
// the load would move below the barrier, and a load after a barrier would yield what the work-item
// stored before it.
//
// Ensures: in functions with a call that work-items reach together, arguments that may be written
// through have no `noalias`. Arguments that are only read keep it, since no work-item may write
// what they point to. Two pointers are disjoint if one of them has the attribute, so only pairs of
// results lose.
//
// Position: after SROA, which replaces clang's variables by uses of the argument; before every pass
// that moves memory accesses. Until work-item-loops no pass may infer the attribute again.
#include "compiler/work_item/passes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

// Barriers, copies and collectives synchronize; shuffles and votes access no memory.
bool synchronizes(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && call->isConvergent() && !call->doesNotAccessMemory();
}

bool passes_on(const llvm::User &user) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::BitCastInst,
                   llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user);
}

bool only_reads(const llvm::Use &use) {
  const llvm::User &user = *use.getUser();
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user))
    return true;
  const auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&user);
  return copy && &use != &copy->getRawDestUse();
}

// False only if all uses of the pointer are known to be reads.
bool may_be_written(const llvm::Argument &pointer) {
  llvm::SmallVector<const llvm::Value *> left{&pointer};
  llvm::SmallPtrSet<const llvm::Value *, 16> seen{&pointer};
  while (!left.empty())
    for (const llvm::Use &use : left.pop_back_val()->uses()) {
      if (only_reads(use))
        continue;
      if (!passes_on(*use.getUser()))
        return true;
      if (seen.insert(use.getUser()).second)
        left.push_back(use.getUser());
    }
  return false;
}

} // namespace

llvm::PreservedAnalyses DropNoaliasPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  if (llvm::none_of(llvm::instructions(function), synchronizes))
    return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Argument &argument : function.args())
    if (argument.hasNoAliasAttr() && may_be_written(argument)) {
      argument.removeAttr(llvm::Attribute::NoAlias);
      changed = true;
    }
  // The pass changes alias information, so no analysis that depends on it is preserved.
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
