// Turns calls of `lockstep.permute.*` into what the code generator knows as its permutation of one
// register by another.
//
// A permutation that each lane chooses has no form of its own in LLVM IR. The code generator finds
// it in a vector built of extractions by extracted numbers, all in one block; passes before it
// would take that apart (a loop-invariant number is extracted outside the loop, and the access goes
// through memory). So packetise leaves a call, and the pattern is made last.
//
// Input:  calls `<N x T> lockstep.permute.<type>(<N x T> of, <N x iB> by)`; `by` is below N.
// Output: none is left. Where `by` turned out to be constant, a shufflevector stands there.
//
// After everything that moves instructions.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Element l of the result is `of`'s element number `by`[l].
llvm::Value *emit_permutation(llvm::IRBuilderBase &builder, llvm::Value *of, llvm::Value *by);

class ExpandPermutationsPass : public llvm::PassInfoMixin<ExpandPermutationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
