// The reciprocal square root of float, which OpenCL C allows to be wrong by 2 ulp.
//
// A square root and a division of 16 lanes keep an AVX-512 processor's only divider busy for 20
// to 40 cycles; in a sum over bodies that is most of the time. Processors with AVX-512 have an
// estimate of 14 bits, and one step of Newton's method makes 28 of them, so that only the roundings
// of the last step are left: at most 1.05 ulp, measured over all normal floats. Others have 12
// bits, after a step 23, which is not enough; they keep square root and division.
//
// packetize emits it for vectors; lower-reciprocal-sqrt replaces the calls of
// `__lockstep_reciprocal_sqrt` that are left, for what is uniform and where a sub-group is one
// work-item. Both take the same instruction, so the bits do not depend on the number of lanes.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetTransformInfo;
}

namespace lockstep::compiler {

// Of a float or of a vector of floats whose length is a power of two.
llvm::Value *emit_reciprocal_sqrt(llvm::IRBuilderBase &builder,
                                  const llvm::TargetTransformInfo &target, llvm::Value *x);

// Input:  the function of one sub-group, after packetize.
// Output: no call of `__lockstep_reciprocal_sqrt` is left.
class LowerReciprocalSqrtPass : public llvm::PassInfoMixin<LowerReciprocalSqrtPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
