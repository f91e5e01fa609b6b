// Makes one question of those that the reads and writes of images ask, one after the other.
//
// Input:  the kernel of one work-item, in which specialise-images has put the code of its reads and writes, simplified. Each
//         asks whether its texel is inside the image for all work-items that run together (__lockstep_all_lanes), and has
//         code for either answer.
// Output: where such choices follow each other in straight code, they are made at the first one. If all lanes are inside with
//         all of them, what follows is straight code; else it is as it was. Of texels at constant distances from each other
//         only the outermost two are asked about in each dimension.
//
// A filter of 3 x 3 texels asks 18 times of one work-item's neighbourhood. Between two branches nothing is combined or
// moved: nine loads of rows that overlap stay nine, and each is widened for itself.
//
// Right because a question may be answered "no" at any time (docs/kernel_ir.md). Sizes of images are below 2^31: if the first
// and the last of some texels are inside, none between them is beyond an end that the number wraps at.
//
// After the scalar optimisations, which make common subexpressions of coordinates; before lanes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class AskOncePass : public llvm::PassInfoMixin<AskOncePass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
