// Hides constant masks whose active lanes are all in the lower half from the code generator.
//
// LLVM 22's code generator for AVX-512 turns `select <16 x i1> <8 times true, 8 times false>,
// %mask, zero` into an instruction that clears the upper half of a mask register (KMOVB k, k). LLVM
// counts that as a plain move (isMoveReg). If the result is spilled, the source is stored instead,
// so inactive lanes act. Masks of 32 and 64 lanes whose lower 8, 16 or 32 lanes are constant fail
// in the same way.
//
// Empty inline assembly yields the bits in place of the constant.
//
// Requires: any function.
// Ensures: for processors with AVX-512DQ, no `select`, `and` or `shufflevector` of 16 or more i1
// has a constant that is false in the upper half; such shuffles become selects.
//
// Position: last, since earlier passes can fold such constants.
//
// Upstream: none was found on 2026-11-24; tests/passes/hide-half-masks/llvm_still_needs_it.ll holds
// the text of a report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class HideHalfMasksPass : public llvm::PassInfoMixin<HideHalfMasksPass> {
public:
  explicit HideHalfMasksPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
