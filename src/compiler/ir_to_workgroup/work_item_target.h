// What LLVM's scalar optimiser is told of the machine while the function is still that of one
// work-item: branches may diverge.
//
// Without this it takes the function for a thread of its own and threads jumps across barriers,
// unswitches loops on conditions that differ between lanes, and the like. Each is right for one
// work-item and makes flow that lanes cannot follow together: both versions of an unswitched loop
// would run, one after the other, under complementary masks.
#pragma once

#include "llvm/Analysis/TargetTransformInfo.h"

namespace lockstep::compiler {

llvm::TargetIRAnalysis work_item_target();

} // namespace lockstep::compiler
