// Compares vectors of pointers with a common scalar base as integers.
//
// If both sides of `icmp eq <4 x ptr> (getelementptr %part, <4 x i64> ...), ...` have the same
// underlying object, InstCombine of LLVM 22 compares offsets instead. It also rewrites the operands
// of the offsets (EmitGEPOffsets). If a scalar `%part` has an index and other users, it is replaced
// by a vector. The module is invalid then, and a later pass crashes.
//
// Requires: any function.
// Ensures: the comparison is an `icmp` of `<n x i64>`: the base as an integer in all lanes, plus
// offsets. Other comparisons stay.
//
// Position: before InstCombine, wherever vectors may exist. LLVM's own pipeline has no extension
// point between its vectorizers and InstCombine.
//
// Upstream: llvm/llvm-project#186886, fixed in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CompareAddressesPass : public llvm::PassInfoMixin<CompareAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
