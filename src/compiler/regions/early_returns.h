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
// Most do.
#pragma once

#include "compiler/analysis/uniformity.h"
#include "compiler/regions/barrier_regions.h"

namespace lockstep::compiler {

// `uniformity` is that of the work-group.
bool may_end_early(llvm::Function &function, const BarrierRegions &regions,
                   const Uniformity &uniformity);

} // namespace lockstep::compiler
