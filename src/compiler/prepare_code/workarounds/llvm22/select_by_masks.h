// Replaces the extension of a mask of 64 lanes by a select.
//
// LLVM 22's code generator for AVX-512 does not terminate on `zext <64 x i1> ((x & constant) |
// constant)` with arithmetic after it, if it can tell that later lanes are 0: it splits the
// extension and combines it again. `select mask, 1, 0` is equivalent, and is left alone.
//
// Requires: any function.
// Ensures: no zext or sext of a vector of 64 or more i1 is left.
//
// Position: last, since InstCombine turns such selects into extensions.
//
// Upstream: not known; tests/passes/select-by-masks/llvm_still_needs_it.ll holds the text of a
// report.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class SelectByMasksPass : public llvm::PassInfoMixin<SelectByMasksPass> {
public:
  explicit SelectByMasksPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
