// Chooses the traversal order of work-groups: the dimension in which consecutive groups run one
// after the other.
//
// Input:  the kernel of one work-item, after specialize-local-size, which computes the group id
//         from a global id.
// Output: if the best dimension is not 0, attribute "lockstep-first-dimension".
//
// A launch numbers its groups with dimension 0 fastest, because adjacent groups in dimension 0
// usually access adjacent memory. Strided async copies of interleaved data are the exception. One
// group copies one channel of a piece of a row. The group that copies the elements in between, the
// next channel, has the next id in dimension 1. In the default order the whole row of one channel
// comes first, and each cache line is fetched once per channel.
//
// The choice affects only speed, so wrapping of address arithmetic is ignored. Kernels that wait
// are skipped: their groups rely on the default order.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ChooseTraversalOrderPass : public llvm::PassInfoMixin<ChooseTraversalOrderPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
