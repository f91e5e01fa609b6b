// The passes of this folder. The head of the file of the same name says what a pass requires and
// ensures.
#pragma once

#include "kernel_ir/pass_base.h"
#include "kernel_ir/specialization.h"

#include <vector>

namespace lockstep::compiler {

// Decides whether each struct argument is read in place, and gives local accessors their memory.
class PrivatizeArgumentsPass : public RequiredPass<PrivatizeArgumentsPass> {
public:
  explicit PrivatizeArgumentsPass(std::vector<LocalArgument> local_arguments)
      : local_arguments_(std::move(local_arguments)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  std::vector<LocalArgument> local_arguments_;
};

// Marks pointers in a kernel's struct arguments as global and invariant.
class ArgumentPointersPass : public llvm::PassInfoMixin<ArgumentPointersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler
