// What the end of a loop depends on, inside the loop: by data, by the branches that decide which
// value a phi takes or whether an exit is reached, and through memory. Through memory means that
// the loop reads a place which it may have written itself: by a store, an atomic update, a copy, or
// a collective, since one work-item may look and tell the others that way.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class BasicBlock;
class DominatorTree;
class Instruction;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Memory that no other work-item has.
bool is_private(const llvm::Value *pointer);
// Memory of the work-group.
bool is_local(const llvm::Value *pointer);
// Whether they may point into the same object.
bool may_meet(const llvm::Value *pointer, const llvm::Value *other);

// The pointer through which an instruction may write memory of the program: null if nobody knows,
// none if it does not write.
std::optional<const llvm::Value *> written_by(const llvm::Instruction &instruction);
// The same for reading.
std::optional<const llvm::Value *> read_by(const llvm::Instruction &instruction);

// The condition of a terminator that has one.
const llvm::Value *condition_of(const llvm::Instruction &terminator);

class LoopSlice {
public:
  LoopSlice(const llvm::Loop &loop, const llvm::DominatorTree &dominators)
      : loop_(loop), dominators_(dominators) {}

  // Everything that a condition for leaving the loop depends on. Ordinary loads are members, but
  // not what they may read if not `through_memory`.
  void add_exits(bool through_memory);
  // What the loop writes to memory that others see, and whether it does.
  void add_writes();

  const llvm::SetVector<const llvm::Instruction *> &found() const { return found_; }

private:
  void follow(); // all that is open
  // What decides whether `block` is reached in an iteration.
  void add_control_of(const llvm::BasicBlock &block);
  void add_choice_of(const llvm::PHINode &phi);
  void add_conditions_before(llvm::SmallVector<const llvm::BasicBlock *> blocks,
                             const llvm::BasicBlock *first);
  void add_writes_to(const llvm::Value *pointer);
  void add_write(const llvm::Instruction &write);

  const llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  bool through_memory_ = true;
  llvm::SetVector<const llvm::Instruction *> found_;
  llvm::SmallPtrSet<const llvm::Instruction *, 8> writes_;
  llvm::SmallVector<const llvm::Value *> open_;
};

// Both are computed alike from the same, without memory.
bool is_same_value(const llvm::Value *one, const llvm::Value *other);

} // namespace lockstep::compiler
