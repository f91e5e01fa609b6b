// Keeps integer division from trapping.
//
// OpenCL C 6.3: a division by zero, or of the most negative number by -1, yields an unspecified
// value and raises no exception. LLVM's sdiv/udiv/srem/urem have undefined behavior there, and x86
// traps. So such divisors are replaced at run time: x / 0 becomes x / 1, INT_MIN / -1 becomes
// INT_MIN / 1.
//
// Requires: any function.
// Ensures: every division is safe to execute with any operands.
//
// Position: before the first optimization, which would otherwise conclude from a division that its
// divisor is not zero.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class GuardIntegerDivisionPass : public llvm::PassInfoMixin<GuardIntegerDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
