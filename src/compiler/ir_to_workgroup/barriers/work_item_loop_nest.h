// Emits the loops over the sub-groups of a work-group around one barrier region.
//
// "Sub-group" here is what one run of the region does: several of them after jam-sub-groups.
//
// With one lane, or rows that hold a whole number of sub-groups, there is one loop for each
// dimension, so that index arithmetic stays affine for LLVM's loop passes; dimensions known to have
// size 1 get none. Otherwise one loop counts sub-groups and ids come from division; a last
// sub-group that may have fewer work-items than lanes runs a copy of the region of its own, so that
// the others need no masks. Likewise a region whose work ends at a bound (idle_sub_groups.h) has a
// copy for the sub-groups that lie below it entirely and one for what is left.
#pragma once

#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/IR/IRBuilder.h"

#include <array>
#include <cstdint>

namespace llvm {
class AllocaInst;
class LoopInfo;
class MDNode;
} // namespace llvm

namespace lockstep::compiler {

struct WorkBound;

class WorkItemLoopNest {
public:
  // Emits what all loops share (sizes, counters) at `builder`, in the entry block of the work-group
  // function.
  WorkItemLoopNest(llvm::IRBuilderBase &builder, std::array<uint32_t, 3> local_size,
                   uint32_t sub_group_size, Jam jam);

  // One copy of the region.
  struct Body {
    llvm::BasicBlock *block;    // empty; ids are valid from here
    llvm::BasicBlock *latch;    // the region's exits branch here
    llvm::Value *active_lanes;  // of the sub-groups that run this copy
    bool is_below_full = false; // they lie below the `full` of the bound
  };
  struct Loop {
    llvm::SmallVector<Body, 2> bodies; // the second one for a last sub-group that is not full
    llvm::BasicBlock *end;             // empty; reached after all sub-groups
  };
  // `preheader` has no terminator yet; it gets one. With a bound, which needs a loop for each
  // dimension, only the sub-groups below it run.
  Loop emit(llvm::BasicBlock *preheader, const llvm::Twine &name, const WorkBound *bound);
  bool has_loop_for_each_dimension() const { return by_dimension_; }

  llvm::Value *local_id(llvm::IRBuilderBase &builder, unsigned dimension) const; // of lane 0
  llvm::Value *sub_group_index(llvm::IRBuilderBase &builder) const;
  llvm::Value *number_of_sub_groups() const { return number_of_sub_groups_; }
  const llvm::SmallVectorImpl<llvm::AllocaInst *> &counters() const {
    return counters_;
  } // to be promoted

private:
  Loop emit_by_dimension(llvm::BasicBlock *preheader, const llvm::Twine &name,
                         const WorkBound *bound);
  llvm::SmallVector<Body, 2> emit_bounded_row(const WorkBound &bound, llvm::BasicBlock *first,
                                              llvm::BasicBlock *done, const llvm::Twine &name);
  Loop emit_linear(llvm::BasicBlock *preheader, const llvm::Twine &name);
  void close(llvm::BasicBlock *latch, llvm::BasicBlock *body, llvm::BasicBlock *end,
             unsigned counter, llvm::Value *limit);

  std::array<uint32_t, 3> known_size_;
  std::array<llvm::Value *, 3> size_{};
  std::array<uint32_t, 3> step_; // of the local ids, from one run of the region to the next
  uint32_t sub_group_size_;
  bool by_dimension_;
  llvm::Value *items_ = nullptr, *number_of_sub_groups_ = nullptr, *full_sub_groups_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> counters_; // x, y, z; or the sub-group's index
};

// Loops over sub-groups are not unrolled, so that LLVM's loop vectoriser, which runs later, finds them. Where lanes are vectors
// already it has nothing to do there: small ones may be, and what one region stores for the next one stays in registers.
void allow_small_unrolling(const llvm::LoopInfo &loops);

} // namespace lockstep::compiler
