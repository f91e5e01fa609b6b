// Emits the reciprocal square root of float, for which OpenCL C allows an error of 2 ulp.
//
// A square root and a division of 16 lanes keep the only divider of an AVX-512 processor busy for
// 20 to 40 cycles; in a sum over bodies that is most of the time. Processors with AVX-512 have an
// estimate of 14 bits. One step of Newton's method yields 28 bits, so that only the roundings of
// that step are left: at most 1.05 ulp, measured over all normal floats. Other processors have an
// estimate of 12 bits, 23 after a step, which is not enough. They use square root and division.
//
// packetize emits the code for vectors. lower-reciprocal-sqrt replaces the remaining calls of
// `__lockstep_reciprocal_sqrt`: those of uniform values, and those in sub-groups of one work-item.
// Both use the same instruction, so the bits do not depend on the number of lanes.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class TargetModel;

// `x` is a float or a vector of floats whose length is a power of two.
llvm::Value *emit_reciprocal_sqrt(llvm::IRBuilderBase &builder, const TargetModel &model,
                                  llvm::Value *x);

// Requires: the function of one sub-group, after packetize.
// Ensures: no call of `__lockstep_reciprocal_sqrt` is left.
class LowerReciprocalSqrtPass : public llvm::PassInfoMixin<LowerReciprocalSqrtPass> {
public:
  explicit LowerReciprocalSqrtPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
