// Which sub-groups of a barrier region have nothing to do, so that its loop need not run them.
//
// A tree reduction halves the number of its working items with each barrier:
//
//     barrier(CLK_LOCAL_MEM_FENCE);
//     if (me < step)
//       partial[me] += partial[me + step];
//
// Of the 16 sub-groups of 256 items, 8 work in the first step and one from the fourth on; in a
// kernel that begins with `if (get_global_id(0) < n)`, the sub-groups that work need no mask but
// for one. So we look for a bound on the local id in one dimension:
//
//   end    a sub-group whose ids all lie at or beyond it has no effect in this region: the loop
//          ends there. It is at least 1: the first sub-group always runs, and tells for all of them
//          which operation comes next and what the values are that are the same for all.
//   full   below it the comparisons in `true_below_full` are true for all lanes: sub-groups that
//          lie below run a copy of the region that takes that for granted and so has no masks.
//
// What an idle sub-group does is followed from the region's entry, block by block, along every way
// that it can take: at a branch on `id < bound` the way of those that are beyond, at all others
// both. On each such way
//   - nothing may be written but variables of crossing values, nothing volatile or atomic be read,
//   - no block may come twice (a loop could keep it from arriving),
//   - the values that are kept for each sub-group must be left as they are: a phi that gives back
//     what it was, or anything (poison). One that is computed anew must be computed.
// Everything is resolved along the way (phis by the edge it came by, variables by the last store),
// so a bound that the region itself changes, as in `step /= 2`, is the right one of its versions.
// For `full` that is not enough, since the sub-groups that work take other ways: there a comparison
// counts only if it is executed once in the region and gives the same whichever way led to it.
//
// `id` may be the sum of the local id and of values that are the same for the group, narrowed and
// widened: the global id in `size_t`, `uint` or `int`. Whether that sum wraps within the group
// cannot be known here, so it is tested when the group runs; if it does, the region runs for all
// sub-groups, under masks.
#pragma once

#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"
#include "compiler/ir_to_workgroup/barriers/crossing_values.h"

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
  llvm::Value *end = nullptr;  // i64, at least 1, at most the local size
  llvm::Value *full = nullptr; // i64, a multiple of the lanes, at most `end`; null: not known
  llvm::SmallPtrSet<const llvm::Value *, 4> true_below_full;
};

// `function` as demote_crossing_values leaves it, of known local size; each row holds a whole
// number of sub-groups. Emits the computation at the end of `before`, a block without terminator
// from which the region's loop will start; `kept` emits there the value that a uniform crossing
// value has (at the builder it is given).
std::optional<WorkBound> find_work_bound(
    const llvm::Function &function, const BarrierRegions &regions, unsigned region,
    const std::vector<CrossingValue> &crossing, llvm::BasicBlock &before,
    llvm::function_ref<llvm::Value *(const CrossingValue &, llvm::IRBuilderBase &)> kept);

} // namespace lockstep::compiler
