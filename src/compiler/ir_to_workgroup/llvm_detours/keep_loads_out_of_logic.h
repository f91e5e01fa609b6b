// Keeps vector loads and constants out of the three-input logic instructions of AVX-512.
//
// The code generator of LLVM 22 takes `select mask, (a ^ (b & (load ^ a))), a` for one masked
// vpternlog with an operand in memory, and gets the order of its operands wrong (in plain C as
// well). A load that the logic only sees through a freeze stays an instruction of its own, and the
// pattern is right. A constant is such an operand as well, and nothing keeps it out: there the logic stands behind a
// fence, and the select is an instruction of its own.
//
// Last: after LLVM's loop vectoriser, which makes such loads too.
//
// Upstream: llvm/llvm-project#157929, mended in LLVM 23.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class KeepLoadsOutOfLogicPass : public llvm::PassInfoMixin<KeepLoadsOutOfLogicPass> {
public:
  explicit KeepLoadsOutOfLogicPass(const llvm::TargetMachine &target) : target_(target) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
};

} // namespace lockstep::compiler
