// Finds the sub-groups that have nothing to do in a barrier region, so that its loop skips them.
//
//     barrier(CLK_LOCAL_MEM_FENCE);
//     if (me < step)
//       partial[me] += partial[me + step];
//
// Of the 16 sub-groups of 256 items, 8 work in the first step of this reduction and one from the
// fourth on. If a kernel begins with `if (get_global_id(0) < n)`, at most one working sub-group
// needs a mask. So the analysis looks for a bound on the local id in one dimension (struct
// WorkBound).
//
// It follows an idle sub-group along every path from the region's entry. A branch on `id < bound`
// has only the path beyond the bound; any other branch has both. Each path fulfills three
// conditions:
// - It writes only variables of values live across a barrier, and reads nothing volatile or atomic.
// - It contains no block twice, since a loop could keep the sub-group from arriving.
// - It leaves values that are stored per sub-group unchanged: a phi yields the old value or poison.
//
// The id may be the sum of a multiple of the local id and of group-uniform values. Whether that sum
// wraps in the group is tested at run time; then all sub-groups run, under masks.
#pragma once

#include "compiler/regions/barrier_regions.h"
#include "compiler/regions/values_across_barriers.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <array>
#include <optional>

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct WorkBound {
  unsigned dimension = 0;
  // i64, from 1 to the local size: sub-groups whose ids are all at or beyond it have no effect
  llvm::Value *end = nullptr;
  llvm::Value *full = nullptr; // i64, a multiple of the lanes, at most `end`; null: not known
  llvm::SmallPtrSet<const llvm::Value *, 4> true_below_full;
};

// Requires the result of demote_barrier_values, and rows with a whole number of sub-groups.
// Emits the bound at the end of `before`, a block without terminator from which the region's loop
// starts. `end` is at least 1: the first sub-group always runs, and records the next operation and
// the uniform values. Sub-groups below `full` run a copy of the region without masks, in which the
// comparisons in `true_below_full` are true for all lanes, executed once, and the same on all paths.
//
// `load_uniform` emits a load of a uniform value that is live across a barrier.
std::optional<WorkBound> find_work_bound(
    const llvm::Function &function, const BarrierRegions &regions, unsigned region,
    const std::vector<BarrierValue> &live_values, llvm::BasicBlock &before,
    llvm::function_ref<llvm::Value *(const BarrierValue &, llvm::IRBuilderBase &)> load_uniform);

} // namespace lockstep::compiler
