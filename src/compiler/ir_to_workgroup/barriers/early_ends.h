// Kernels in which some sub-groups of a group may end while others go on to a barrier:
//
//     if (get_global_id(0) >= n) return;
//     ...
//     barrier(CLK_LOCAL_MEM_FENCE);
//
// By the letter of OpenCL all work-items must reach a barrier that one of them reaches, but such
// kernels are common, and other implementations run them: who has returned holds up nobody. So do
// we, whatever the number of lanes: work-item-loops remembers who is gone.
//
// A branch that sub-groups may leave by different ways is harmless if these come together before
// the end or the next group operation, which is where most do.
#pragma once

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"

namespace lockstep::compiler {

// `uniformity`: of the work-group.
bool may_end_early(llvm::Function &function, const BarrierRegions &regions,
                   const Uniformity &uniformity);

} // namespace lockstep::compiler
