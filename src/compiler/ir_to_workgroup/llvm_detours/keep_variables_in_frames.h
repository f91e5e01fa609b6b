// Puts variables into a coroutine's frame whose addresses live across a suspension.
//
// A variable that nobody uses across a suspension needs no place in the frame: each of the functions
// that a coroutine is split into has it on its stack. CoroSplitPass of LLVM 22 finds out by the
// markers of its lifetime. But an address within the variable may be computed before its lifetime
// begins, as LICM does with one that is the same in each round of a loop. If a suspension lies in
// between, that address is kept in the frame, and points to the stack of a function that has
// returned. Without markers CoroSplitPass follows the uses, but not through all instructions: what
// is done through a vector that shufflevector made of the address it does not see.
//
// So a variable loses its markers, and its address is taken in a way that CoroSplitPass understands
// (ptrtoint: it escapes), where
// - an address made of it lives across a suspension and is not computed anew, or
// - it has no markers, and CoroSplitPass does not see all that is done with it.
//
// After make-coroutine and what removes unused instructions, before values share places in the
// frame.
//
// Upstream: not reported yet. "CoroSplit: an address of an alloca that is computed before
// llvm.lifetime.start, and used after it behind a coro.suspend, is spilled to the frame while the
// alloca stays on the stack"; llvm_still_needs_it.ll is the example.
#pragma once

#include "llvm/IR/Instruction.h"
#include "llvm/IR/PassManager.h"

#include <functional>
#include <utility>

namespace lockstep::compiler {

class KeepVariablesInFramesPass : public llvm::PassInfoMixin<KeepVariablesInFramesPass> {
public:
  using Question = std::function<bool(llvm::Instruction &)>;

  // `is_computed_anew`: what CoroSplitPass will be told as well.
  explicit KeepVariablesInFramesPass(Question is_computed_anew)
      : is_computed_anew_(std::move(is_computed_anew)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  Question is_computed_anew_;
};

} // namespace lockstep::compiler
