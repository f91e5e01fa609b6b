// Keeps masks of lanes that are known to be only the lower ones out of the code generator's sight.
//
// The code generator of LLVM 22 for AVX-512 makes `select <16 x i1> <8 times true, 8 times false>, %mask, zero` an instruction
// that clears the upper half of a mask register (KMOVB k, k). That counts as a plain move (isMoveReg), and where
// its result has no register and is stored to the stack, the source is stored instead: lanes that are not active act.
// So do masks of 32 and 64 lanes whose lower 8, 16 or 32 are constant.
//
// An empty piece of assembly gives the bits in place of the constant.
//
// Input:  any function.
// Output: for processors with AVX-512DQ, no `select`, `and` or `shufflevector` of 16 or more i1 has a constant that is false in the
//         upper half; the last are selects.
//
// Last: what comes before can fold them.
//
// Upstream: none was found on 2026-11-24; tests/passes/hide-half-masks/llvm_still_needs_it.ll holds the text of a report.
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
