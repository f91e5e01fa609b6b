// Whether most of a kernel's work is where at most one work-item of a sub-group goes.
//
// A leader that sums up what its group wrote, or every 64th work-item: in lanes such code runs with a mask of one lane, its
// loads are gathers, and it costs as much as for all lanes. One work-item after the other it is ordinary scalar code, which
// LLVM may vectorise for itself, but all else takes as many times as long as there were lanes. So the estimate counts both:
// instructions, by how often LLVM expects their blocks to run.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Before lane-ids, of a kernel that could have `width` lanes.
bool one_lane_does_most(llvm::Function &function, unsigned width,
                        llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
