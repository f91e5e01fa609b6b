// Computes whether an iteration of a waiting loop changed anything that may end the loop without
// other work-items: the `changed` operand of `__lockstep_wait`. Deadlock detection depends on it.
//
// An iteration is the code from one suspension to the next. It changed something if it is the
// first, if a value carried to the next iteration differs, or if memory differs:
//   - A location with a loop-invariant address that several instructions write is compared at the
//     suspension with its value at the begin of the iteration. So taking and releasing a lock is no
//     change. Its value at the last suspension would be wrong: others may have written it since.
//   - A store or update that runs once per iteration, to a location without other writes, is
//     compared with the value that it replaces.
//   - All other writes, and all copies and fills, are summed up (write_sums.h) in iterations that
//     are watched (`__lockstep_watched`), while a deadlock is looked for. If the loop has many
//     writes, stores are compared only then, too, and every iteration that is not watched counts as
//     a change. If it has few, such an iteration counts as a change if one of these writes changed
//     memory. All loops share one sum: otherwise each write would add to a sum for each loop around
//     it, and each of these values would need a phi wherever paths converge.
//   - Out-of-line functions add to such a sum themselves (out_of_line_writes.h).
//   - A copy changes nothing if nothing else in the loop writes its source or destination.
//   - Ignored are the scratch memory of collectives, variables whose lifetime starts in the
//     iteration, and the output of printf, which the kernel does not read.
#pragma once

#include "compiler/waits/analysis/waits.h"
#include "compiler/waits/suspension/write_sums.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace llvm {
class AllocaInst;
class BranchInst;
class DominatorTree;
class LoopInfo;
class StoreInst;
} // namespace llvm

namespace lockstep::compiler {

// The sum of what the waiting loops of a kernel write.
struct KernelSum {
  VariableNames names;
  llvm::AllocaInst *variable = nullptr; // to be promoted after the last loop
  llvm::SmallVector<const llvm::Loop *> loops;
  // The writes that are added, and the branches around the additions.
  llvm::DenseMap<const llvm::Instruction *, llvm::BranchInst *> writes;
};

class IterationChanges {
public:
  // The loop is suspended before `place`. Outer loops come first. `written_by_calls`: the result of
  // report_writes(); may be null.
  IterationChanges(const Wait &wait, llvm::Instruction &place, KernelSum &kernel_sum,
                   llvm::AllocaInst *written_by_calls);

  // True if nothing that the loop does, except `access`, can end it.
  bool has_nothing_but(const llvm::Instruction &access) const;

  // True if a write of the loop cannot be compared, so that each iteration counts as a change.
  bool is_never_compared() const { return always_; }

  // Emits code that computes whether the iteration that ends at `place` changed anything. Requires
  // one latch with one successor. The code uses variables that may be promoted.
  llvm::Value *emit(llvm::DominatorTree &dominators, llvm::LoopInfo &loops);
  // Emits code behind the suspension at `place`; call it after the suspension is emitted.
  void emit_begin_of_iteration();
  llvm::ArrayRef<llvm::AllocaInst *> variables() const { return made_; }
  // The blocks that emit() split.
  llvm::ArrayRef<WriteSums::Split> splits() const { return sums_.splits(); }

private:
  struct Location {
    llvm::Value *pointer;
    llvm::Type *type;
    llvm::SmallVector<llvm::Instruction *, 2> writes;
    std::optional<llvm::Align> alignment; // set if it is loaded at the suspension
    // The value when the iteration began or first wrote the location, whether the iteration wrote
    // it, and the value after the last write.
    llvm::AllocaInst *at_begin = nullptr, *is_written = nullptr, *left = nullptr;
  };

  std::optional<const llvm::Value *> kernel_writes(const llvm::Instruction &instruction) const;
  void find_writes();
  void find_locations();
  void take_in_call(llvm::Instruction &call);
  bool is_forgotten(const llvm::Value *pointer) const;
  bool is_alone(const llvm::Instruction &write) const;
  llvm::AllocaInst *make_variable(llvm::Type *type, const llvm::Twine &name);
  void note(llvm::Value *differs, llvm::AllocaInst *in);
  void emit_updates();
  void emit_stores();
  void emit_stores(llvm::ArrayRef<llvm::StoreInst *> run);
  size_t run_of_stores(llvm::ArrayRef<llvm::StoreInst *> stores) const;
  void emit_calls();
  void emit_state();
  void emit_left_differently(llvm::AllocaInst &variable);
  void make_sum();
  void sum_up(llvm::Instruction &write);
  void emit_sums();
  std::optional<llvm::Align> readable_at_place(const Location &location,
                                               const llvm::DominatorTree &dominators) const;
  void emit_location(const Location &location);
  void emit_found_and_left(Location &location);
  void forget(const Location &location);
  llvm::Value *emit_load(const Location &location);
  llvm::Value *emit_watched();

  const Wait &wait_;
  llvm::Loop &loop_;
  llvm::Instruction &place_;
  llvm::IRBuilder<> builder_;
  KernelSum &kernel_sum_;
  WriteSums sums_;
  bool always_ = false; // a write cannot be compared
  bool spares_ = false; // stores are compared only in watched iterations
  llvm::SmallVector<llvm::Instruction *, 4> updates_;
  llvm::SmallVector<llvm::StoreInst *, 4> stores_;
  llvm::SmallVector<llvm::Instruction *, 0> blocks_; // copies and fills that are summed up
  llvm::SmallVector<llvm::CallInst *, 0> calls_;     // out-of-line functions that report writes
  llvm::SmallPtrSet<const llvm::Instruction *, 4> alone_;
  llvm::SmallSetVector<llvm::AllocaInst *, 4> private_; // stored to in the loop
  llvm::SmallVector<Location, 2> locations_;
  // `touched_`: set if a summed write changed memory. Used only if such writes are few.
  llvm::AllocaInst *changed_ = nullptr, *touched_ = nullptr, *watched_ = nullptr;
  // The sum at the begin of the iteration. Null if no loop around this one adds to the sum: then it
  // is 0, so that no value is live across the suspension.
  llvm::AllocaInst *before_iteration_ = nullptr;
  llvm::AllocaInst *written_by_calls_, *before_calls_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> made_;
};

} // namespace lockstep::compiler
