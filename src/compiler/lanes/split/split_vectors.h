// Splits vector types into their elements, so that each element becomes a vector over the lanes.
//
// Input:  the kernel of one work-item, without memory intrinsics (expand-copies).
// Output: no instruction has a vector type; memory is accessed in scalars.
//
// LLVM's Scalarizer does most of the work. This pass handles the rest: volatile and atomic vector
// accesses, bit casts between a vector and a scalar (as_uint(uchar4)), and reductions. Adjacent
// accesses are combined again by packetize (interleaved accesses).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SplitVectorsPass : public llvm::PassInfoMixin<SplitVectorsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
