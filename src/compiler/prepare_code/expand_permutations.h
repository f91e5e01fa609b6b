// Expands calls of `lockstep.permute.*` to instructions that permute one register by another.
//
// LLVM IR cannot express a permutation whose lanes are chosen at run time. The code generator
// recognizes one in a vector built from extracted elements, but not reliably. If the user of such a
// vector is split and the indices have been narrowed, LLVM 22 creates a node that it cannot select,
// and stops. So the target model (target_model/) emits the instruction. Elements without an
// instruction of their own become wider ones or several narrower ones; any other case goes through
// memory. Before this pass a call represents the permutation, because other passes
// would split extractions but leave a call alone.
//
// Requires: calls `<N x T> lockstep.permute.<type>(<N x T> of, <N x iB> by)`; the elements of `by`
// are below N, N is a power of two, B is the width of T.
// Ensures: no such call is left. If `by` is constant, the call becomes a shufflevector.
//
// Position: after all passes that may find `by` constant.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

// Element l of the result is `of`'s element number `by`[l].
llvm::Value *emit_permutation(llvm::IRBuilderBase &builder, llvm::Value *of, llvm::Value *by);

// Whether emit_permutation() has declared the function.
bool is_permutation_function(const llvm::Function &function);

class ExpandPermutationsPass : public llvm::PassInfoMixin<ExpandPermutationsPass> {
public:
  explicit ExpandPermutationsPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
