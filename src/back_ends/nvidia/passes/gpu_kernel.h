// Finds the kernel in a module, from bind-launch on.
#pragma once

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

// The only `ptx_kernel`; null: there is none.
inline llvm::Function *gpu_kernel(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      return &function;
  return nullptr;
}

} // namespace lockstep::compiler
