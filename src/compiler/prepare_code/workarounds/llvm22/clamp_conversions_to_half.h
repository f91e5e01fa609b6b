// Clamps integers that overflow a half before LLVM converts them.
//
// LLVM 22 folds `fpext (uitofp i32 %x to half) to float` to one conversion to float if the possible
// bits of %x fit in a half's significand. It ignores the exponent: for 1 << 20 the half is
// infinite, and the float is not. It also creates such conversions itself: `fptrunc (uitofp i64 (1
// << %n) to float) to half` becomes one, since the float is exact.
//
// Requires: any function.
// Ensures: the same results; the operand of a conversion to half is between -65535 and 65535, which
// becomes infinite, too. That applies to integers, and to floating-point numbers that may come from
// an integer.
//
// Position: before the first InstCombine, and after each step that brings functions together.
//
// Upstream: not reported; tests/passes/clamp-conversions-to-half/llvm_still_needs_it.ll holds the
// text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ClampConversionsToHalfPass : public llvm::PassInfoMixin<ClampConversionsToHalfPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
