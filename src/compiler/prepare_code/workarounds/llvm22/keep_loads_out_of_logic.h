// Keeps vector loads and constants out of the three-input logic instructions of AVX-512.
//
// LLVM 22's code generator selects one masked vpternlog with a memory operand for `select mask, (a
// ^ (b & (load ^ a))), a`, with its operands in the wrong order (in plain C as well). If the logic
// sees the load only through a freeze, the load stays a separate instruction, and the code is
// correct. A constant is a memory operand, too, and a freeze does not keep it out. In that case the
// logic is behind a fence, and the select is a separate instruction.
//
// Position: last, after LLVM's loop vectorizer, which also creates such loads.
//
// Upstream: llvm/llvm-project#157929, fixed in LLVM 23.
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
