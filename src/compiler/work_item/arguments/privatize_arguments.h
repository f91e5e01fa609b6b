// Decides whether each struct argument is read in place, and gives local accessors their memory.
//
// Requires: the kernel after inline-kernel and SROA; struct arguments are `byval`.
// Ensures: no argument is `byval`. A struct that is only read is read in the argument block, which
// all work-items share and none writes. Any other is copied into a private variable of each
// work-item. For local arguments (compile.h, LocalArgument), each variable is an addrspace(3)
// global. A copy of argument 0 holds the variables' addresses and the local arguments' words, which
// are constants. The next SROA removes the copy where it can follow it.
//
// Position: after SROA. The call operator of a function object stores `this` to a variable before
// it reads through it, and until SROA removes that variable, the object seems to escape. An indexed
// array in a copied object would stay memory of each work-item.
#pragma once

#include "kernel_ir/specialization.h"

#include "llvm/IR/PassManager.h"

#include <vector>

namespace lockstep::compiler {

class PrivatizeArgumentsPass : public llvm::PassInfoMixin<PrivatizeArgumentsPass> {
public:
  explicit PrivatizeArgumentsPass(std::vector<LocalArgument> local_arguments)
      : local_arguments_(std::move(local_arguments)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  std::vector<LocalArgument> local_arguments_;
};

} // namespace lockstep::compiler
