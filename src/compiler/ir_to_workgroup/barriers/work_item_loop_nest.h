// Emits the loops over the sub-groups of a work-group around one barrier region.
//
// With one lane, or rows that hold a whole number of sub-groups, there is one loop for each
// dimension, so that index arithmetic stays affine for LLVM's loop passes; dimensions known to have
// size 1 get none. Otherwise one loop counts sub-groups and ids come from division.
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <cstdint>

namespace llvm {
class AllocaInst;
class MDNode;
} // namespace llvm

namespace lockstep::compiler {

class WorkItemLoopNest {
public:
  // Emits what all loops share (sizes, counters) at `builder`, in the entry block of the work-group
  // function.
  WorkItemLoopNest(llvm::IRBuilderBase &builder, std::array<uint32_t, 3> local_size,
                   uint32_t sub_group_size);

  struct Loop {
    llvm::BasicBlock *body;  // empty; ids are valid from here
    llvm::BasicBlock *latch; // the region's exits branch here
    llvm::BasicBlock *end;   // empty; reached after all sub-groups
    llvm::MDNode
        *access_group; // of memory accesses that do not depend on each other between sub-groups
  };
  // `preheader` has no terminator yet; it gets one.
  Loop emit(llvm::BasicBlock *preheader, const llvm::Twine &name);

  llvm::Value *local_id(llvm::IRBuilderBase &builder, unsigned dimension) const; // of lane 0
  llvm::Value *sub_group_index(llvm::IRBuilderBase &builder) const;
  llvm::Value *number_of_sub_groups() const { return number_of_sub_groups_; }
  const llvm::SmallVectorImpl<llvm::AllocaInst *> &counters() const {
    return counters_;
  } // to be promoted

private:
  void close(llvm::BasicBlock *latch, llvm::BasicBlock *body, llvm::BasicBlock *end,
             unsigned counter, llvm::MDNode *access_group);

  std::array<uint32_t, 3> known_size_;
  std::array<llvm::Value *, 3> size_{};
  uint32_t sub_group_size_;
  bool by_dimension_;
  llvm::Value *number_of_sub_groups_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> counters_; // x, y, z; or the sub-group's index
};

} // namespace lockstep::compiler
