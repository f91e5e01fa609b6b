#include "compiler/ir_to_workgroup/kernel_function.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::Function *kernel_function(llvm::Module &module) {
  if (llvm::Function *kernel = module.getFunction(kernel_symbol))
    return kernel;
  llvm::Function *only = nullptr;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (only && function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      continue;
    only = &function;
  }
  return only;
}

} // namespace lockstep::compiler
