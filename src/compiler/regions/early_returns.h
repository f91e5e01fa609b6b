// Detects kernels in which some sub-groups of a group can end while others reach a barrier:
//
//     if (get_global_id(0) >= n) return;
//     ...
//     barrier(CLK_LOCAL_MEM_FENCE);
//
// OpenCL requires that all work-items reach a barrier that one of them reaches. Such kernels are
// common nevertheless, and other implementations run them: a barrier does not wait for work-items
// that have returned. We run them too, for every number of lanes: work-item-loops records which
// sub-groups have ended.
//
// A divergent branch is harmless if its paths converge before the end or the next group operation.
// Most do. Regions that only other paths lead to are not concerned, such as the version of
// unmasked-guards for groups that all pass a guard.
#pragma once

#include "compiler/analysis/uniformity.h"
#include "compiler/regions/barrier_regions.h"

#include "llvm/ADT/BitVector.h"

namespace lockstep::compiler {

struct EarlyEnds {
  explicit EarlyEnds(unsigned regions) : before(regions), within(regions) {}
  llvm::BitVector before; // some sub-groups may have ended when others begin the region
  llvm::BitVector within; // or may end in it while others go on
};

// `uniformity` is that of the work-group.
EarlyEnds find_early_ends(llvm::Function &function, const BarrierRegions &regions,
                          const Uniformity &uniformity);

} // namespace lockstep::compiler
