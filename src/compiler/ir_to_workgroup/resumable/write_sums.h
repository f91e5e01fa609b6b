// What is written from here to there, as one number: the sum over all writes of number(place, what it holds afterwards)
// less number(place, what it held before). Where a place is written several times, all but what it held first and what
// it holds last cancels each other. So the sum is 0 if memory is left as it was found, whatever was done to it meanwhile:
// a table that each round fills with zeros and then with sums, a lock of many that is taken and given back. A list of
// what was written would tell the same, and would have no end in a loop. That the sum is 0 although something changed has a
// chance of one in 2^64.
//
// A place is an address, or a variable of the kernel and an offset: to look at the address of a variable would keep it
// out of registers. It may have several names as long as none of them is another place's: what is written by one name and
// written back by another one does not cancel, and counts as a change, as does what is written back by elements of another
// size. What lanes undo of each other's writes counts as a change as well, since each lane has a sum.
//
// Private memory that no name can be given to (one of two variables) is compared with what it held: each write that
// changes it is a change.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class AnyMemIntrinsic;
class CallBase;
class DomTreeUpdater;
class LoopInfo;
} // namespace llvm

namespace lockstep::compiler {

// Each scalar in two values of one type, and its offset in bytes. Of what is not known, neither.
using OnPiece = llvm::function_ref<void(llvm::Value *before, llvm::Value *after, uint64_t offset)>;
void for_each_piece(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after,
                    OnPiece on_piece);
// Whether two values of one type differ in a bit.
llvm::Value *differ(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after);

// What a place holds that a store will write.
llvm::Value *emit_replaced(llvm::IRBuilder<> &builder, const llvm::StoreInst &store);
// What an atomic update found, and what it left; behind it.
struct Update {
  llvm::Value *before, *after;
  llvm::Value *is_unsure; // null, or: it may have left other bits than these
};
Update emit_update(llvm::IRBuilder<> &builder, llvm::Instruction &update);

// A copy or fill of LLVM's, or one that a group makes together.
bool is_block(const llvm::Instruction &instruction);

// Of variables that places lie in: one for all sums of a function.
using VariableNames = llvm::DenseMap<const llvm::Value *, uint64_t>;

class WriteSums {
public:
  // In place of a place: nobody reads what is left there; it has no name.
  static constexpr uint64_t forgotten = 0, nameless = UINT64_MAX;
  // What was split: the block as it was, and those that now stand behind it.
  struct Split {
    const llvm::BasicBlock *head, *then, *tail;
  };

  WriteSums(llvm::Function &function, VariableNames &names)
      : function_(function), names_(names), builder_(function.getContext()) {
    builder_.SetNoSanitizeMetadata();
  }

  // To be kept as they are when blocks are split.
  void set_analyses(llvm::DomTreeUpdater *updater, llvm::LoopInfo *loops) {
    updater_ = updater;
    loops_ = loops;
  }
  // Of a pointer that is a parameter.
  void set_place(const llvm::Value &parameter, llvm::Value &place) { places_[&parameter] = &place; }

  // If `watched` (an i1, or the variable of one), adds to the variable `sum` what the write changes.
  void add(llvm::Instruction &write, llvm::Value *watched, llvm::Value *sum);
  // Where code stands, from now on before `place`, that is done only if `watched`.
  llvm::Instruction &split_before(llvm::Instruction &place, llvm::Value *watched);
  // As an argument for a parameter that takes a place.
  llvm::Value *emit_place(llvm::IRBuilder<> &builder, llvm::Value *pointer);

  llvm::ArrayRef<Split> splits() const { return splits_; }

private:
  struct Place {
    llvm::Value *base = nullptr; // null: it has none
    llvm::Value *offset = nullptr;
    bool is_of_parameter = false;
  };
  Place place_of(llvm::IRBuilder<> &builder, llvm::Value *pointer);
  uint64_t name_of(const llvm::Value &variable);
  llvm::Value *number(llvm::Value *place, llvm::Value *bits);
  llvm::Value *change(const Place &place, llvm::Value *offset, llvm::Value *before,
                      llvm::Value *after);
  void add_block(llvm::CallBase &block, llvm::Value *sum);
  void add_bytes(llvm::AnyMemIntrinsic &block, llvm::Value *sum);
  void add_copy_of_group(llvm::CallBase &copy, llvm::Value *sum);
  void add_copy_of_lines(llvm::CallBase &copy, llvm::Value *sum);
  void add_to(llvm::Value *sum, llvm::Value *change);
  void repeat(llvm::Value *count, llvm::function_ref<void(llvm::Value *index)> body);
  llvm::Value *load_at(llvm::Value *pointer, llvm::Value *offset, uint64_t bytes,
                       llvm::Align alignment);

  llvm::Function &function_;
  VariableNames &names_;
  llvm::DomTreeUpdater *updater_ = nullptr;
  llvm::LoopInfo *loops_ = nullptr;
  llvm::IRBuilder<> builder_;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> places_;
  llvm::SmallVector<Split, 0> splits_;
};

} // namespace lockstep::compiler
