// Whether a round of a loop that waits changed anything that may end the loop without anybody's
// help: the `changed` of `__lockstep_wait`. Without it nothing is said about deadlocks.
//
// A round is what is done from one suspension to the next. It changed something if it was the first
// one, if what the loop carries to the next round is not what it carried to this one, or if memory
// is not what it was:
//   - a location with a fixed address that several instructions of the loop write is compared at the
//     suspension with what it held when the round began: to take a lock, look and give it back is
//     no change. What it held at the last suspension says nothing: others may have written it since,
//     and a round that writes it back would seem to have changed nothing;
//   - a store or update that is made once a round, where nothing else is written, is compared with
//     what it replaces;
//   - others, and all copies, fills and stores if there are many, are summed up while somebody looks
//     for a deadlock (`__lockstep_watched`): write_sums.h. While nobody looks, a round with few of
//     them changed something if one of them did, and all other rounds changed something;
//   - functions that are kept beside the kernel add to such a sum themselves (kept_writes.h);
//   - a copy does the same again while nothing else of the loop writes what it reads;
//   - the scratch memory of a collective holds nothing from round to round, nor does a variable
//     whose life begins in the round, and what printf writes is read by nobody in the kernel.
#pragma once

#include "compiler/ir_to_workgroup/analyze/waits.h"
#include "compiler/ir_to_workgroup/resumable/write_sums.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace llvm {
class AllocaInst;
class DominatorTree;
class LoopInfo;
class StoreInst;
} // namespace llvm

namespace lockstep::compiler {

class RoundChanges {
public:
  // The loop is suspended before `place`. `written_by_calls`: what tell_writes() gave; may be null.
  RoundChanges(const Wait &wait, llvm::Instruction &place, VariableNames &names,
               llvm::AllocaInst *written_by_calls);

  // Nothing that the loop does can end it.
  bool has_nothing_but(const llvm::Instruction &access) const;

  // Something that it does is not compared, so that each round counts as a change.
  bool is_never_compared() const { return always_; }

  // Says in code whether the round that ends at `place` changed anything; the loop must have one
  // latch with one successor. The value is made of variables, which may be promoted.
  llvm::Value *emit(llvm::DominatorTree &dominators, llvm::LoopInfo &loops);
  // Behind the suspension at `place`, once that is there.
  void emit_begin_of_round();
  llvm::ArrayRef<llvm::AllocaInst *> variables() const { return made_; }
  // What was split by emit().
  llvm::ArrayRef<WriteSums::Split> splits() const { return sums_.splits(); }

private:
  struct Location {
    llvm::Value *pointer;
    llvm::Type *type;
    llvm::SmallVector<llvm::Instruction *, 2> writes;
    std::optional<llvm::Align> alignment; // if it is read at the suspension
    // What it held when the round began, or when the round first wrote it, and what it held after
    // the last write.
    llvm::AllocaInst *at_begin = nullptr, *is_written = nullptr, *left = nullptr;
  };

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
  WriteSums sums_;
  bool always_ = false; // something that is not compared
  bool spares_ = false; // stores are compared only in rounds that are watched
  llvm::SmallVector<llvm::Instruction *, 4> updates_;
  llvm::SmallVector<llvm::StoreInst *, 4> stores_;
  llvm::SmallVector<llvm::Instruction *, 0> blocks_; // copies and fills that are compared
  llvm::SmallVector<llvm::CallInst *, 0> calls_;     // of functions that tell
  llvm::SmallPtrSet<const llvm::Instruction *, 4> alone_;
  llvm::SmallSetVector<llvm::AllocaInst *, 4> private_; // stored to in the loop
  llvm::SmallVector<Location, 2> locations_;
  // `touched`: something that is summed up as well, if few.
  llvm::AllocaInst *changed_ = nullptr, *touched_ = nullptr, *watched_ = nullptr, *sum_ = nullptr;
  llvm::AllocaInst *written_by_calls_, *before_calls_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> made_;
};

} // namespace lockstep::compiler
