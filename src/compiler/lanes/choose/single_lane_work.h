// Estimates whether most of a kernel's work is in code that at most one work-item of a sub-group
// enters.
//
// Examples are a leader that sums up its group's results, and work done by every 64th work-item. In
// lanes, such code runs with a mask of one lane, its loads are gathers, and it costs as much as for
// all lanes. With one lane it is ordinary scalar code, which LLVM may vectorize, but all other code
// takes `width` times as long. The estimate counts the instructions of both cases, weighted by
// LLVM's block frequencies.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Runs before lane-ids. The kernel could have `width` lanes.
bool one_lane_does_most(llvm::Function &function, unsigned width,
                        llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler
