// Runs function passes on the kernel only, not on out-of-line functions.
#pragma once

#include "compiler/pipelines/pipeline.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

class OnKernel : public llvm::PassInfoMixin<OnKernel> {
public:
  explicit OnKernel(llvm::FunctionPassManager passes) : passes_(std::move(passes)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses) {
    auto &functions =
        analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
    llvm::Function &kernel = *kernel_function(module);
    functions.invalidate(kernel, passes_.run(kernel, functions));
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }

private:
  llvm::FunctionPassManager passes_;
};

template <class... Passes> OnKernel on_kernel(Passes &&...passes) {
  return OnKernel(functions(std::forward<Passes>(passes)...));
}

} // namespace lockstep::compiler
