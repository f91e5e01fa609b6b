// Keeps integers that no half can hold from being taken for halves without loss.
//
// LLVM 22 makes `fpext (uitofp i32 %x to half) to float` one conversion to float where the bits
// that %x may have fit into a half's significand. It forgets the exponent: for 1 << 20 the half is
// infinite, and the float is not. It comes to such conversions by itself as well: `fptrunc (uitofp
// i64 (1 << %n) to float) to half` is made one, since the float is exact.
//
// Input:  any function.
// Output: the same results; what becomes a half is between -65535 and 65535, which is infinite too:
//         integers, and floating-point numbers that may have been made of one.
//
// Before the first InstCombine, wherever functions have been brought together since.
//
// Upstream: not reported; tests/passes/clamp-conversions-to-half/llvm_still_needs_it.ll holds the text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ClampConversionsToHalfPass : public llvm::PassInfoMixin<ClampConversionsToHalfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
