// The target description for LLVM's scalar optimizer while the function is that of one work-item:
// branches may diverge.
//
// Without it LLVM treats the function as an independent thread: it threads jumps across barriers,
// unswitches loops on conditions that differ between lanes, and the like. Each is correct for one
// work-item, but lanes cannot follow the resulting control flow together. Both versions of an
// unswitched loop would run, one after the other, under complementary masks.
#pragma once

#include "llvm/Analysis/TargetTransformInfo.h"

namespace lockstep::compiler {

llvm::TargetIRAnalysis work_item_target();

} // namespace lockstep::compiler
