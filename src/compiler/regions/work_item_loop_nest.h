// Emits the loops over the sub-groups of a work-group around one barrier region.
//
// "Sub-group" here means what one run of the region does: several sub-groups after
// interleave-sub-groups.
//
// If there is one lane, or if rows hold a whole number of sub-groups (padded rows do), each dimension
// gets one loop,
// so that index arithmetic stays affine for LLVM's loop passes. Dimensions of known size 1 get
// none. Otherwise one loop counts sub-groups, and ids are computed by division. A last sub-group
// that may have fewer work-items than lanes then runs a copy of the region, so that the others need
// no masks. A region with a work bound (idle_sub_groups.h) also has two copies: one for the
// sub-groups below `full`, one for the others.
#pragma once

#include "kernel_ir/specialization_attributes.h"

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
  // Emits the sizes and counters that all loops share at `builder`, in the entry block of the
  // work-group function.
  WorkItemLoopNest(llvm::IRBuilderBase &builder, std::array<uint32_t, 3> local_size,
                   uint32_t sub_group_size, Interleaving interleaving, bool has_padded_rows);

  // One copy of the region.
  struct Body {
    llvm::BasicBlock *block;    // empty; ids are valid from here
    llvm::BasicBlock *latch;    // the region's exits branch here
    llvm::Value *active_lanes;  // of the sub-groups that run this copy
    bool is_below_full = false; // they are below the bound's `full`
  };
  struct Loop {
    llvm::SmallVector<Body, 2> bodies; // the second body: a last sub-group that is not full
    llvm::BasicBlock *end;             // empty; reached after all sub-groups
  };
  // `preheader` has no terminator; emit adds it. A bound requires a loop for each dimension; then
  // only the sub-groups below the bound run.
  Loop emit(llvm::BasicBlock *preheader, const llvm::Twine &name, const WorkBound *bound);
  bool has_loop_for_each_dimension() const { return by_dimension_; }

  llvm::Value *local_id(llvm::IRBuilderBase &builder, unsigned dimension) const; // of lane 0
  llvm::Value *sub_group_index(llvm::IRBuilderBase &builder) const;
  llvm::Value *number_of_sub_groups() const { return number_of_sub_groups_; }
  const llvm::SmallVectorImpl<llvm::AllocaInst *> &counters() const {
    return counters_;
    // To be promoted to registers.
  }

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
  std::array<uint32_t, 3> step_; // of the local ids, between consecutive runs of the region
  uint32_t sub_group_size_;
  bool by_dimension_;
  llvm::Value *items_ = nullptr, *number_of_sub_groups_ = nullptr, *full_sub_groups_ = nullptr;
  llvm::SmallVector<llvm::AllocaInst *, 4> counters_; // x, y, z; or the sub-group's index
};

// Loops over sub-groups are not unrolled, so that LLVM's loop vectorizer, which runs later, can
// vectorize them. If lanes are vectors already, small loops may be unrolled: values that one region
// stores for the next then stay in registers.
void allow_small_unrolling(const llvm::LoopInfo &loops);

} // namespace lockstep::compiler
