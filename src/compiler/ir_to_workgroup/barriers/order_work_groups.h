// Finds the dimension in which work-groups should run one after the other.
//
// Input:  the kernel of one work-item.
// Output: where it is not dimension 0, attribute "lockstep-first-dimension".
//
// A launch numbers its groups with dimension 0 fastest, since most programs have there what lies side by side in memory.
// Interleaved data read by async copies with a stride is the exception: one group copies one channel of a piece of a row, and
// the group of the next channel, which wants the elements in between, has another id in dimension 1. In the usual order the
// whole row of one channel comes first, and each line of the cache is fetched once for each channel.
//
// It is a question of speed only, so what can wrap is taken not to.
//
// Not of kernels that wait: their groups find each other in the usual order. After specialise-local-size, which makes a
// group's number of a global id.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class OrderWorkGroupsPass : public llvm::PassInfoMixin<OrderWorkGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
