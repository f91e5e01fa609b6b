// Decides for each struct argument whether it is read where it lies, and gives local accessors their memory.
//
// Input:  the kernel after inline-kernel and SROA; struct arguments are `byval`.
// Output: no argument is `byval`. One that is only read is read in the argument block, which all work-items share, and
//         nobody writes; others are copied into a private variable of each work-item. For local arguments (compile.h,
//         LocalArgument), each variable is an addrspace(3) global, whose address stands in a copy of argument 0, and
//         their words are constants there; where the next SROA can follow it, nothing of the copy is left.
//
// After SROA: the call operator of a function object stores `this` to a variable before it reads through it, and as long
// as that is so, the object looks as if it went somewhere. Copied, an array in it that is indexed would be memory of each
// work-item for good.
#pragma once

#include "compiler/compile.h"

#include "llvm/IR/PassManager.h"

#include <vector>

namespace lockstep::compiler {

class PrivatiseArgumentsPass : public llvm::PassInfoMixin<PrivatiseArgumentsPass> {
public:
  explicit PrivatiseArgumentsPass(std::vector<LocalArgument> local_arguments)
      : local_arguments_(std::move(local_arguments)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::vector<LocalArgument> local_arguments_;
};

} // namespace lockstep::compiler
