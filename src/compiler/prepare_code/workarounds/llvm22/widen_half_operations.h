// Computes with floats what the processor cannot compute with halves.
//
// Without AVX512-FP16, LLVM 22 widens vectors of halves for additions, comparisons and conversions
// to float, but scalarizes roots, roundings, minima, fused multiplications and conversions from
// double. Then 16 lanes become 16 scalar operations, each with its own conversions, or calls of
// __truncdfhf2. Kernel code that uses floats instead does not help: InstCombine turns the rounded
// result of a float operation on halves into an operation on halves.
//
// With AVX512-FP16 two things need a workaround. If a program allows reciprocals, LLVM divides by
// multiplying with an estimate, which is infinite for subnormal halves and some larger ones. A half
// that is rounded to the nearest integer (rint) and converted to i32 or narrower is truncated
// instead. LLVM does not fold roundeven (independent of the rounding mode) into that conversion;
// the result is the same here.
//
// Requires: any function.
// Ensures: without AVX512-FP16, no square root, rounding to an integer, minimum, maximum or fused
// multiply-add has half operands, and no double is converted to half directly. The results are the
// same, rounded once. An optional fusion (fmuladd) becomes multiply and add. With AVX512-FP16, no
// division of halves allows a reciprocal, and no rounding of halves is rint.
//
// Position: after the last InstCombine.
//
// Upstream: not reported; llvm_still_needs_it.ll and llvm_still_cuts_fractions.ll in
// tests/passes/widen-half-operations hold the texts of reports.
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
