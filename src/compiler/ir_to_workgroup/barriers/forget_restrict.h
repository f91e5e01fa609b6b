// Lets other work-items write through pointers that are `restrict`.
//
// A work-item promises that it reaches an object through this pointer only. LLVM knows one thread
// and concludes more: a call that is not given the pointer, a barrier as well, leaves what it points
// to as it is. In
//
//     uint add = i >= step ? restricted[i - step] : 0;
//     barrier(CLK_LOCAL_MEM_FENCE);
//     restricted[i] += add;
//
// the load would move below the barrier, and what a work-item reads after one would be what it wrote
// before. So the attribute `noalias` goes from arguments that are written through, in functions with
// a call that work-items reach together. It stays where a pointer is only read: what that points to
// nobody may write. And it is enough that one of two pointers has it for them to be apart, so that
// little is lost: between two results.
//
// After SROA, which makes uses of the argument of what clang keeps in a variable; before every pass
// that moves memory accesses. Until work-item-loops no pass may conclude it anew.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ForgetRestrictPass : public llvm::PassInfoMixin<ForgetRestrictPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
