// Keeps the widening of integers apart from the floating-point vector whose bits they are.
//
// The code generator of LLVM 22 for AVX-512 ends with "Cannot select: v4i64 =
// zero_extend_vector_inreg" over a `zext` or `sext` of <8 x i32> to <8 x i64> of which only the
// lower half is used in the end, if the <8 x i32> is a bitcast of floats: `(ulong)as_uint(x) * y`
// is enough. combineEXTRACT_SUBVECTOR (X86ISelLowering.cpp) makes of the half that is used an
// extension in one register, whose operand is a whole register of 256 bits. No pattern has that; it
// becomes a right one only as combineEXTEND_VECTOR_INREG reads it as a shuffle, and that looks
// through the bitcast, finds floating point and does not use instructions for integers. Any
// extension of 256 bits to 512 can be narrowed like that after it has been legalised, so not only
// those with a multiplication behind them are kept apart.
//
// A logic operation between the two, which LLVM does not see through, costs one instruction; an empty
// piece of assembly would cost none, but registers that come out of assembly are floating-point ones
// as well.
//
// Input:  any function.
// Output: what is extended, has 256 bits or more and was made of a floating-point vector by
//         bitcasts, shuffles, insertions and selects only is the result of a `vpternlogd` that returns
//         its operand. Nothing changes for processors with AVX-512F, but not VL: such kernels are
//         compiled for AVX2 there (compile_past_crashes in compile.cpp).
//
// Late: what comes before can look through bitcasts.
//
// Upstream: none was found on 2026-11-23; tests/passes/hide-float-bits/llvm_still_needs_it.ll holds the
// text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class HideFloatBitsPass : public llvm::PassInfoMixin<HideFloatBitsPass> {
public:
  explicit HideFloatBitsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
