// Drops `noalias` from pointers through which other work-items may write the same object.
//
// A work-item promises that it accesses an object through its `restrict` pointer only. LLVM assumes
// a single thread and concludes more: a call without that pointer, even a barrier, does not change
// the object. In
//
//     uint add = i >= step ? restricted[i - step] : 0;
//     barrier(CLK_LOCAL_MEM_FENCE);
//     restricted[i] += add;
//
// the load would move below the barrier, and a load after a barrier would yield what the work-item
// stored before it.
//
// Ensures: in functions with a call that work-items reach together, arguments that may be written
// through have no `noalias`. Arguments that are only read keep it, since no work-item may write
// what they point to. Two pointers are disjoint if one of them has the attribute, so only pairs of
// results lose.
//
// Position: after SROA, which replaces clang's variables by uses of the argument; before every pass
// that moves memory accesses. Until work-item-loops no pass may infer the attribute again.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class DropNoaliasPass : public llvm::PassInfoMixin<DropNoaliasPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
