// Decides whether a loop that repeats a compare-and-swap is one atomic update, and which one.
//
// Requires: an innermost loop in simplified form, in a function of one work-item after scalar
// optimization; its swap is retried_swap() (waits/analysis/retry_loops.h).
// Ensures: find() returns an operation only under the conditions that update_loops.cpp lists. It may
// move computations of the operand before the loop, also if it returns none: has_moved().
// For the check of races, the update must race with the same accesses and order the same ones: no
// read is plain, no order of a read or of the failed swap is stronger than that of the swap, and
// each iteration swaps. A product must be in a kernel whose atomics order nothing.
//
// It is separate from the pass because each spelling of such a loop adds a condition here, and none to
// the replacement.
#pragma once

#include "compiler/work_item/update_operation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"

#include <optional>

namespace lockstep::compiler {

class SynchronizationNotes;

class UpdateLoop {
public:
  // `exactly`: null, unless the check of races needs exact updates (above).
  UpdateLoop(llvm::Loop &loop, llvm::AtomicCmpXchgInst &swap, const SynchronizationNotes *exactly)
      : loop_(loop), swap_(swap), exactly_(exactly) {}

  std::optional<UpdateOperation> find();
  bool has_moved() const { return has_moved_; }

  llvm::Loop &loop() const { return loop_; }
  llvm::AtomicCmpXchgInst &swap() const { return swap_; }
  bool is_old(llvm::Value *value) const;
  bool is_success(const llvm::Value *value) const { return is_part(value, 1); }
  // The following require that find() has returned an operation.
  llvm::BasicBlock &exit() const { return *exit_; }
  bool has_limit() const { return limit_ != nullptr; }               // it may end without a swap
  llvm::ArrayRef<llvm::Value *> results() const { return results_; } // used after the loop
  llvm::AtomicOrdering ordering() const; // of the swap and of the reads that it replaces
  // The read before the loop, if the update makes it superfluous; null: there is none.
  llvm::LoadInst *superfluous_read() const;

private:
  bool only_updates();
  bool may_read_once(const llvm::LoadInst &load) const;
  bool hoist(llvm::Value *value);
  bool is_exit_after_success(const llvm::BranchInst &branch) const;
  bool is_exit_at_limit(const llvm::BranchInst &branch);
  bool ends_after_update();
  std::optional<UpdateOperation> find_operation();
  std::optional<UpdateOperation> operation_of(llvm::Instruction &result);
  llvm::LoadInst *first_read() const;
  bool is_first_read_recent() const;
  bool is_read_in_loop() const;
  bool may_be_product() const;
  bool is_exact(const UpdateOperation &operation) const;
  bool is_exact_read(const llvm::LoadInst &read) const;
  bool is_part(const llvm::Value *value, unsigned field) const;
  bool find_results();
  bool is_result(llvm::Value *value) const;
  bool is_used_after(const llvm::Instruction &instruction) const;

  llvm::Loop &loop_;
  llvm::AtomicCmpXchgInst &swap_;
  const SynchronizationNotes *const exactly_;
  bool has_moved_ = false;
  llvm::BasicBlock *exit_ = nullptr;
  llvm::ICmpInst *limit_ = nullptr; // ends the loop without a swap
  bool ends_if_limit_ = false;      // the value of `limit_` with which it does
  llvm::AtomicOrdering reads_ = llvm::AtomicOrdering::NotAtomic; // the strongest order of the reads
  llvm::SmallVector<llvm::Value *, 4> results_;
};

} // namespace lockstep::compiler
