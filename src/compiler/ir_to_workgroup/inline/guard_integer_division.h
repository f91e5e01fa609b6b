// Keeps integer division from trapping.
//
// OpenCL C 6.3: dividing by zero, or the most negative number by -1, gives an unspecified value and
// raises no exception. LLVM's sdiv/udiv/srem/urem have undefined behaviour there and x86 traps, so
// divisors that may be bad are replaced: x / 0 becomes x / 1, INT_MIN / -1 becomes INT_MIN / 1.
//
// Input:  any function.
// Output: the same with every division safe to execute with any operands.
//
// Before the first optimisation, which would otherwise conclude from a division that its divisor is
// not zero.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class GuardIntegerDivisionPass : public llvm::PassInfoMixin<GuardIntegerDivisionPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
