#include "compiler/waits/analysis/lock_entries.h"

#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/analysis/retry_loops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

bool is_update(const llvm::Instruction &access) {
  return llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(access) &&
         !changes_nothing(access);
}

bool is_same_address(const llvm::Value &one, const llvm::Value &other) {
  return is_same_value(one.stripPointerCasts(), other.stripPointerCasts());
}

// Whether another instruction than `access` writes its location.
bool is_written_elsewhere(const llvm::Instruction &access, const llvm::Value &address) {
  return llvm::any_of(llvm::instructions(access.getFunction()), [&](const llvm::Instruction &it) {
    auto pointer = written_by(it);
    return &it != &access && pointer && *pointer && is_same_address(**pointer, address);
  });
}

} // namespace

std::optional<LockEntry>
find_lock_entry(const Wait &wait,
                const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &of_one_item) {
  const llvm::Loop &loop = *wait.loop;
  llvm::BasicBlock *before = loop.getLoopPreheader();
  if (!before || loop.getParentLoop() || !of_one_item.contains(before))
    return std::nullopt;
  for (const llvm::Instruction *access : wait.accesses) {
    const auto read = read_by(*access);
    if (is_update(*access) && read && *read && loop.isLoopInvariant(*read) &&
        is_written_elsewhere(*access, **read))
      return LockEntry{before->getTerminator(), const_cast<llvm::Value *>(*read)};
  }
  return std::nullopt;
}

} // namespace lockstep::compiler
