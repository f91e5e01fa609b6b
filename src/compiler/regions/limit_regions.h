// Selects the coroutine form for a kernel if loops between its barriers would multiply its code.
//
// Requires: the kernel after linearization, in loop form.
// Ensures: sets the attribute of the coroutine form (form.h) if the barrier regions together hold
// more than `limit` instructions and more than four times those of the kernel. Nothing else
// changes.
//
// A block that several group operations reach is copied for each of them (barrier_regions.h). In an
// interpreter with a barrier in each operation, or in a linearized loop with gotos between
// barriers, each region holds nearly all of the code. The coroutine form has each block once. The
// pass skips kernels that only the loop form supports: one call runs several work-groups or a part
// of one, or the kernel updates privatized arguments.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LimitRegionsPass : public llvm::PassInfoMixin<LimitRegionsPass> {
public:
  explicit LimitRegionsPass(uint64_t limit) : limit_(limit) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }

private:
  uint64_t limit_;
};

} // namespace lockstep::compiler
