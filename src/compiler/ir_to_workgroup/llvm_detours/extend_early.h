// Computes the place `3 * i + 1`, i an int, in 64 bits, as long as it is known that in 32 bits nothing would wrap.
//
// InstCombine of LLVM 22 does it as well where i is a part of a number of 64 bits, as `int i = get_global_id(0)` is, and forgets
// what it knew of overflow: `(long)(3 * i)` becomes `(3 * id << 32) >> 32`, which may wrap from one work-item to the next. So
// what is neighbours' was gathered, element by element: three bytes of a pixel took four times as long as PoCL.
//
// Input:  any function, before InstCombine.
// Output: a sign extension of products of such parts and constants, and of their sums and differences, all of them without
//         overflow, is made of its parts, and the rest is done in 64 bits.
//
// Upstream: none found; the fold is right, and in most code it costs nothing.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ExtendEarlyPass : public llvm::PassInfoMixin<ExtendEarlyPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
