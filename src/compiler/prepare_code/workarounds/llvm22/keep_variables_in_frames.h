// Puts variables into a coroutine's frame if their addresses live across a suspension.
//
// A variable that is not used across a suspension needs no slot in the frame: each function that a
// coroutine is split into has it on its stack. CoroSplitPass of LLVM 22 decides that by the
// variable's lifetime markers. But an address within the variable may be computed before its
// lifetime begins, as LICM does with loop-invariant ones. If a suspension is in between, the frame
// stores that address, which points to the stack of a function that has returned. Without markers
// CoroSplitPass follows the uses, but not through all instructions: it does not see accesses
// through a shufflevector of the address.
//
// So a variable loses its markers, and a ptrtoint makes its address escape for CoroSplitPass, if
// - an address derived from it lives across a suspension and is not rematerialized, or
// - it has no markers, and CoroSplitPass does not see all its uses.
//
// Position: after make-coroutine and the removal of unused instructions; before variables share
// slots of the frame.
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

  // `is_rematerialized`: the rematerialization predicate that CoroSplitPass also gets.
  explicit KeepVariablesInFramesPass(Question is_rematerialized)
      : is_rematerialized_(std::move(is_rematerialized)) {}

  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  Question is_rematerialized_;
};

} // namespace lockstep::compiler
