// Separates integer extensions from the floating-point vectors whose bits they extend.
//
// With AVX-512, LLVM 22 stops with "Cannot select: v4i64 = zero_extend_vector_inreg" for a `zext`
// or `sext` of <8 x i32> to <8 x i64> of which only the lower half is used, if the <8 x i32> is a
// bitcast of floats: `(ulong)as_uint(x) * y` is enough. combineEXTRACT_SUBVECTOR
// (X86ISelLowering.cpp) turns the used half into an in-register extension whose operand has 256
// bits, for which no pattern exists. It is legal only after combineEXTEND_VECTOR_INREG reads it as
// a shuffle; that looks through the bitcast, finds floating point and uses no integer instruction.
// Any extension of 256 bits to 512 can be narrowed like that after legalization, not only in a
// product.
//
// A logic operation that LLVM does not see through costs one instruction. Empty inline assembly
// would cost none, but its output registers count as floating point, too.
//
// Requires: any function.
// Ensures: an extended vector of 256 bits or more, made of floating point only by bitcasts,
// shuffles, insertions and selects, is the result of a `vpternlogd` that returns its operand.
// Nothing changes for AVX-512F without VL: such kernels are compiled for AVX2 (compile_past_crashes
// in compile.cpp).
//
// Position: late, since earlier passes can look through bitcasts.
//
// Upstream: none was found on 2026-11-23; tests/passes/hide-float-bits/llvm_still_needs_it.ll holds
// the text of a report.
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
