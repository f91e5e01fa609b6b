// Writes the extension of a mask of 64 lanes as a select.
//
// The code generator of LLVM 22 for AVX-512 comes to no end over `zext <64 x i1> ((x & constant) | constant)` that
// arithmetic follows, where it can tell that later lanes are 0: it takes the extension apart and puts it together again.
// `select mask, 1, 0` is the same, and is left alone.
//
// Input:  any function.
// Output: no zext or sext of a vector of 64 or more i1.
//
// Last: instcombine makes extensions of such selects.
//
// Upstream: not known; tests/passes/select-by-masks/llvm_still_needs_it.ll holds the text of a report.
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
