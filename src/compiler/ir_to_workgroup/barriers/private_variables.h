// Which private variables (allocas) of a kernel need a copy for each work-item of the group.
#pragma once

#include "compiler/ir_to_workgroup/barriers/barrier_regions.h"

namespace llvm {
class AllocaInst;
}

namespace lockstep::compiler {

// False if the variable lives and dies inside one region, so that all work-items can use the same
// memory in turn.
bool lives_across_operations(const llvm::AllocaInst &variable, const BarrierRegions &regions);

} // namespace lockstep::compiler
