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
//   - each other store or update is compared with what it replaces. Many stores only while somebody
//     looks for a deadlock (`__lockstep_watched`), other rounds of such a loop changed something;
//   - a copy does the same again while nothing else of the loop writes what it reads. Else it is
//     compared byte by byte, and so is a fill; volatile ones, and those that a group makes together,
//     changed something;
//   - the scratch memory of a collective holds nothing from round to round, and what printf writes
//     is read by nobody in the kernel.
#pragma once

#include "compiler/ir_to_workgroup/analyze/waits.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace llvm {
class AllocaInst;
class AnyMemIntrinsic;
class DomTreeUpdater;
class DominatorTree;
class LoopInfo;
class StoreInst;
} // namespace llvm

namespace lockstep::compiler {

class RoundChanges {
public:
  // The loop is suspended before `place`.
  RoundChanges(const Wait &wait, llvm::Instruction &place);

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
  // What was split by emit(): the block as it was, and those that now stand behind it.
  struct Split {
    const llvm::BasicBlock *head, *then, *tail;
  };
  llvm::ArrayRef<Split> splits() const { return splits_; }

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
  llvm::AllocaInst *make_variable(llvm::Type *type, const llvm::Twine &name);
  llvm::Value *element(llvm::Value *vector, unsigned index);
  llvm::Value *differ(llvm::Value *one, llvm::Value *other);
  void note(llvm::Value *differs);
  void emit_updates();
  void begin_before(llvm::Instruction &write, llvm::DomTreeUpdater &updater, llvm::LoopInfo &loops);
  void compare(llvm::AnyMemIntrinsic &block, llvm::Value *offset, uint64_t bytes,
               llvm::Align alignment);
  void emit_short_block(llvm::AnyMemIntrinsic &block, uint64_t length);
  void emit_long_block(llvm::AnyMemIntrinsic &block, llvm::DomTreeUpdater &updater,
                       llvm::LoopInfo &loops);
  void emit_stores(llvm::DominatorTree &dominators, llvm::LoopInfo &loops);
  void emit_state();
  void emit_left_differently(llvm::AllocaInst &variable);
  std::optional<llvm::Align> readable_at_place(const Location &location,
                                               const llvm::DominatorTree &dominators) const;
  void emit_location(const Location &location);
  void emit_found_and_left(Location &location);
  void forget(const Location &location);
  llvm::Value *emit_replaced(const llvm::StoreInst &store);
  llvm::Value *emit_load(const Location &location);
  llvm::Value *emit_watched();

  const Wait &wait_;
  llvm::Loop &loop_;
  llvm::Instruction &place_;
  llvm::IRBuilder<> builder_;
  bool always_ = false; // something that is not compared
  bool spares_ = false; // stores are compared only in rounds that are watched
  llvm::SmallVector<llvm::Instruction *, 4> updates_;
  llvm::SmallVector<llvm::StoreInst *, 4> stores_;
  llvm::SmallVector<llvm::AnyMemIntrinsic *, 0> blocks_; // copies and fills that are compared
  llvm::SmallSetVector<llvm::AllocaInst *, 4> private_;  // stored to in the loop
  llvm::SmallVector<Location, 2> locations_;
  llvm::AllocaInst *changed_ = nullptr, *watched_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> made_;
  llvm::SmallVector<Split, 0> splits_;
};

} // namespace lockstep::compiler
