// Turns calls of `lockstep.permute.*` into the machine's permutation of one register by another.
//
// A permutation that each lane chooses has no form of its own in LLVM IR. The code generator does
// find one in a vector built of extractions by extracted numbers, but not reliably: where such a
// vector is split because of its user and the numbers have been narrowed, LLVM 22 makes a node that
// it cannot select and stops. So the instruction is chosen here, from a table of what each x86 has;
// elements without an instruction of their own become wider ones or several narrower ones, and what
// is left goes through memory. A call stands for it until then, because passes on the way would
// take extractions apart and know the call only as a function of its arguments.
//
// Input:  calls `<N x T> lockstep.permute.<type>(<N x T> of, <N x iB> by)`; `by` is below N, N a
//         power of two, B the width of T.
// Output: none is left. Where `by` turned out to be constant, a shufflevector stands there.
//
// After everything that may find `by` constant.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// Element l of the result is `of`'s element number `by`[l].
llvm::Value *emit_permutation(llvm::IRBuilderBase &builder, llvm::Value *of, llvm::Value *by);

class ExpandPermutationsPass : public llvm::PassInfoMixin<ExpandPermutationsPass> {
public:
  explicit ExpandPermutationsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
