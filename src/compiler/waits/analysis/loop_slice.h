// Computes the backward slice of a loop's exits within the loop.
//
// The slice follows data, the branches that select the value of a phi or control an exit, and
// memory. It follows memory where the loop reads a location that it may have written itself: by a
// store, an atomic update, a copy, or a collective, by which one work-item may pass a value to the
// others.
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

// True for memory that only this work-item can access.
bool is_private(const llvm::Value *pointer);
// True for memory of the work-group.
bool is_local(const llvm::Value *pointer);
// True for memory that other work-groups can access. SYCL's pointers get this address space behind
// the object that they come from.
bool is_global(const llvm::Value &pointer);
// True if both pointers may point into the same object.
bool may_meet(const llvm::Value *pointer, const llvm::Value *other);

// True for the scratch memory in which collectives of the loop exchange values.
bool is_scratch(const llvm::Loop &loop, const llvm::Value *pointer);
// True for barriers and collectives of the loop, and for their writes to scratch memory.
bool is_of_collective(const llvm::Loop &loop, const llvm::Instruction &instruction);

// The pointer through which an instruction may write memory of the program: nullopt if it does not
// write, null if the pointer is unknown.
std::optional<const llvm::Value *> written_by(const llvm::Instruction &instruction);
// The same for reads.
std::optional<const llvm::Value *> read_by(const llvm::Instruction &instruction);

// The condition of a conditional branch or switch; null for other terminators.
const llvm::Value *condition_of(const llvm::Instruction &terminator);

class LoopSlice {
public:
  LoopSlice(const llvm::Loop &loop, const llvm::DominatorTree &dominators)
      : loop_(loop), dominators_(dominators) {}

  // Adds everything that an exit condition depends on. Without `through_memory`, ordinary loads are
  // members of the slice, but the writes that they may read are not.
  void add_exits(bool through_memory);
  // Adds what the values and conditions of the loop's visible writes depend on.
  void add_writes();

  const llvm::SetVector<const llvm::Instruction *> &found() const { return found_; }

private:
  void follow(); // processes open_
  // Adds the conditions that control whether an iteration reaches `block`.
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

// True if both values are the same computation of the same operands, without memory.
bool is_same_value(const llvm::Value *one, const llvm::Value *other);

} // namespace lockstep::compiler
