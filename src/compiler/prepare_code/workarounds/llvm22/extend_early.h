// Computes the address `3 * i + 1`, i an int, in 64 bits while it is known not to wrap in 32 bits.
//
// InstCombine of LLVM 22 does the same if i is the truncation of a 64-bit number, as in `int i =
// get_global_id(0)`, but drops the no-wrap flags. `(long)(3 * i)` becomes `(3 * id << 32) >> 32`,
// which may wrap from one work-item to the next. So accesses to adjacent elements became gathers:
// three bytes of a pixel took four times as long as in PoCL.
//
// Requires: any function, before InstCombine.
// Ensures: pushes a sign extension down through products, sums and differences that do not
// overflow, to truncations and constants. The arithmetic is then done in 64 bits.
//
// Upstream: none found; the fold is correct, and in most code it costs nothing.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExtendEarlyPass : public llvm::PassInfoMixin<ExtendEarlyPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
