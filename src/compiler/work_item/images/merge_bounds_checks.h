// Merges consecutive bounds checks of image accesses into one check of the outermost texels.
//
// Requires: the kernel of one work-item, with the inlined and simplified code of specialize-images.
// Each access checks whether its texel is inside the image for all work-items that run together
// (__lockstep_all_lanes), and has code for both cases.
// Ensures: consecutive checks in straight code are made at the first one. If all lanes are inside
// for all of them, straight code follows; otherwise the original code does. Among texels at
// constant distances from each other, only the outermost two in each dimension are checked.
//
// A filter of 3 x 3 texels makes 18 checks around one work-item's position. Between branches LLVM
// combines and moves nothing: nine loads of overlapping rows stay nine, and each is widened
// separately.
//
// This is correct because a check may always fail (docs/kernel_ir.md). Sizes of images are below
// 2^31, so if the first and the last of some texels are inside, so are those between: their
// coordinates do not wrap.
//
// Position: after the scalar optimizations, which find common subexpressions of coordinates; before
// lanes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class MergeBoundsChecksPass : public llvm::PassInfoMixin<MergeBoundsChecksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
