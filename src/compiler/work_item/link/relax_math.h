// Redirects calls that may be approximate to approximate functions.
//
// libclc's pow uses tables, with four gathers for each vector, so that its error is at most 16 ulp
// even where exponent and logarithm are both large. With -cl-fast-relaxed-math or
// -cl-unsafe-math-optimizations it may be exp2(y * log2(x)), which is what programs request by
// these options.
//
// Requires: kernel IR whose builtins have their names; clang marks such calls with the flag `afn`.
// Ensures: calls of pow and powr on float with that flag call `__lockstep_relaxed_pow` and
// `__lockstep_relaxed_powr` (device_lib/relaxed_powers.cl).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class RelaxMathPass : public llvm::PassInfoMixin<RelaxMathPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
