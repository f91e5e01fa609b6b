// Gives a kernel the coroutine form if loops between its barriers would multiply its code.
//
// Requires: the kernel after linearization, in loop form.
// Ensures: the attribute of the coroutine form (form.h) if the barrier regions hold more than `limit` instructions together
// and four times those of the kernel; nothing else changes.
//
// A block that several group operations reach is copied for each of them (barrier_regions.h). In an interpreter with a barrier
// in each of its operations, or in a linearized loop with gotos between barriers, each region holds nearly all of the code.
// The coroutine form has each block once. It keeps kernels of which one call runs several work-groups or a part of one, or
// that update privatised arguments: only the loop form can.
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
