// Accumulates all writes of a code section in one number. For each write it adds hash(location,
// value after) - hash(location, value before).
//
// If a location is written several times, all intermediate values cancel. So the sum is 0 if memory
// is left as it was found. Examples are a table that each iteration fills with zeros and then with
// sums, and a lock that is taken and released. A list of the writes would grow without bound in a
// loop. A sum of 0 despite a change has a probability of 2^-64.
//
// A location is identified by an address, or by a variable of the kernel and an offset, because
// taking a variable's address would keep it out of registers. A location may have several names if
// no two locations share one. These cases count as changes although memory is restored: a write and
// its undoing under different names, or with elements of different sizes, or by different lanes,
// since each lane has a sum.
//
// Private memory without a name (one of two variables) is compared with its old value: each write
// that changes it counts as a change.
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

// Calls `on_piece` for each scalar in two values of one type, with its offset in bytes. Skips
// scalars that are undefined.
using OnPiece = llvm::function_ref<void(llvm::Value *before, llvm::Value *after, uint64_t offset)>;
void for_each_piece(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after,
                    OnPiece on_piece);
// Emits whether two values of one type differ in a bit.
llvm::Value *differ(llvm::IRBuilder<> &builder, llvm::Value *before, llvm::Value *after);

// Emits a load of the value that a store will overwrite.
llvm::Value *emit_replaced(llvm::IRBuilder<> &builder, const llvm::StoreInst &store);
// The values before and after an atomic update, computed behind it.
struct Update {
  llvm::Value *before, *after;
  llvm::Value *is_unsure; // null, or true if the update may have left other bits
};
Update emit_update(llvm::IRBuilder<> &builder, llvm::Instruction &update);

// True for LLVM's memory intrinsics and for group copies.
bool is_block(const llvm::Instruction &instruction);

// Names of the variables that contain locations; one map for all sums of a function.
using VariableNames = llvm::DenseMap<const llvm::Value *, uint64_t>;

class WriteSums {
public:
  // Special values of a location: its content is never read; it has no name.
  static constexpr uint64_t forgotten = 0, nameless = UINT64_MAX;
  // A split block: the original block, the conditional block, and the rest.
  struct Split {
    const llvm::BasicBlock *head, *then, *tail;
  };

  WriteSums(llvm::Function &function, VariableNames &names)
      : function_(function), names_(names), builder_(function.getContext()) {
    builder_.SetNoSanitizeMetadata();
  }

  // Analyses to update when blocks are split.
  void set_analyses(llvm::DomTreeUpdater *updater, llvm::LoopInfo *loops) {
    updater_ = updater;
    loops_ = loops;
  }
  // Sets the location that a pointer parameter points to.
  void set_place(const llvm::Value &parameter, llvm::Value &place) { places_[&parameter] = &place; }

  // Adds the effect of the write to the variable `sum`, if `watched` (an i1, or a variable of that
  // type). Returns the branch on `watched`.
  llvm::BranchInst &add(llvm::Instruction &write, llvm::Value *watched, llvm::Value *sum);
  // Splits the block before `place`; returns the insertion point of code that runs only if
  // `watched`.
  llvm::Instruction &split_before(llvm::Instruction &place, llvm::Value *watched);
  // Emits the location of `pointer`, as an argument for a location parameter.
  llvm::Value *emit_place(llvm::IRBuilder<> &builder, llvm::Value *pointer);

  llvm::ArrayRef<Split> splits() const { return splits_; }

private:
  struct Place {
    llvm::Value *base = nullptr; // null: it has no name
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
