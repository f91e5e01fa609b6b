// Finds the private variables (allocas) of a kernel that need a copy for each work-item of the
// group.
#pragma once

#include "compiler/regions/barrier_regions.h"

namespace llvm {
class AllocaInst;
}

namespace lockstep::compiler {

// False if the variable is used inside one region only, so that all work-items can reuse the same
// memory.
bool lives_across_operations(const llvm::AllocaInst &variable, const BarrierRegions &regions);

} // namespace lockstep::compiler
