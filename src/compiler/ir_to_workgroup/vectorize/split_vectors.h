// Splits OpenCL C's vector types into their elements, so that each element becomes a vector over
// the lanes.
//
// Input:  the kernel of one work-item, without memory intrinsics (expand-copies).
// Output: no instruction has a vector type; memory is accessed in scalars.
//
// LLVM's Scalarizer does most; what it leaves is done here: volatile and atomic vector accesses,
// bit casts between a vector and a scalar (as_uint(uchar4)), reductions. Neighbouring accesses are
// put together again when they are packed (interleaved accesses).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SplitVectorsPass : public llvm::PassInfoMixin<SplitVectorsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
