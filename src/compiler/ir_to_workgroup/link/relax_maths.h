// Calls that may be approximate go to functions that are.
//
// libclc's pow looks into tables, four gathers for each vector, so that its result is right to 16 ulp where exponent and logarithm
// are both large. With -cl-fast-relaxed-math or -cl-unsafe-math-optimizations it may be exp2(y * log2(x)), which is what programs
// ask for with these options.
//
// Input:  kernel IR whose builtins have their names; clang marks such calls with the flag `afn`.
// Output: those of pow and powr on float call `__lockstep_relaxed_pow` and `__lockstep_relaxed_powr` (device_lib/relaxed_powers.cl).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class RelaxMathsPass : public llvm::PassInfoMixin<RelaxMathsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
