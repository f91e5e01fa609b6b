// Computes with floats what the processor cannot compute with halves.
//
// Without AVX512-FP16, LLVM 22 widens a vector of halves where it is added, compared or converted to
// floats, but takes it apart for roots, roundings, minima, fused multiplications and conversions from
// double: 16 lanes become 16 scalar operations, each with conversions of its own, or calls of
// __truncdfhf2. And a kernel cannot ask for floats instead: InstCombine makes the rounded result of
// a float operation on halves an operation on halves.
//
// With AVX512-FP16 there are two things to mend: where a program allows reciprocals, LLVM divides by
// multiplying with an estimate, which is infinite for subnormal halves and some above. And of a half that is rounded to
// the nearest integer (rint) and made an i32, or less, the fraction is cut off instead. What rounds to even whatever
// the processor's mode (roundeven) is not taken for that conversion, and here it is the same.
//
// Input:  any function.
// Output: without AVX512-FP16 no square root, rounding to an integer, minimum, maximum or fused
//         multiply-add has operands that are halves, and no double is converted to half at once; the
//         results are the same, rounded once. A multiply-add that may be fused is not.
//         With it, no division of halves allows a reciprocal, and no rounding of halves is rint.
//
// After the last InstCombine.
//
// Upstream: not reported; llvm_still_needs_it.ll and llvm_still_cuts_fractions.ll in tests/passes/widen-half-operations
// hold the texts of reports.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class WidenHalfOperationsPass : public llvm::PassInfoMixin<WidenHalfOperationsPass> {
public:
  explicit WidenHalfOperationsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
