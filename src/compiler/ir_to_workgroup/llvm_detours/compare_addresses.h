// Compares vectors of pointers that count from one scalar pointer as numbers.
//
// Where both sides of `icmp eq <4 x ptr> (getelementptr %part, <4 x i64> ...), ...` come from one object, InstCombine of LLVM
// 22 compares offsets instead, and rewrites what the offsets were made of on the way (EmitGEPOffsets): also a scalar `%part`
// that has an index and other uses, for which it gives a vector. The module is broken then, and what comes next crashes.
//
// Before InstCombine, wherever vectors may be there already. Not inside of LLVM's own pipeline, where nothing can be put
// between its vectorisers and what follows.
//
// Upstream: llvm/llvm-project#186886, mended in LLVM 23.
//
// Input:  any function.
// Output: `icmp` of `<n x i64>`: what pointers count from, as a number in all lanes, and offsets. Others stay.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class CompareAddressesPass : public llvm::PassInfoMixin<CompareAddressesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
