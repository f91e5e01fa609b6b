#include "kernel_ir/kernel_function.h"

#include "kernel_ir/out_of_line_function.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::Function *kernel_function(llvm::Module &module) {
  if (llvm::Function *kernel = module.getFunction(kernel_symbol))
    return kernel;
  llvm::Function *only = nullptr;
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || is_out_of_line(function))
      continue;
    if (only && function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      continue;
    only = &function;
  }
  return only;
}

static void add_after_callees(llvm::Function &function,
                              llvm::SmallSetVector<llvm::Function *, 16> &order) {
  if (order.contains(&function))
    return;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction(); callee && is_out_of_line(*callee))
        add_after_callees(*callee, order);
  order.insert(&function);
}

llvm::SmallVector<llvm::Function *> out_of_line_functions_of(llvm::Module &module) {
  llvm::SmallSetVector<llvm::Function *, 16> order;
  for (llvm::Function &function : module)
    if (is_out_of_line(function) && !function.isDeclaration())
      add_after_callees(function, order);
  return llvm::SmallVector<llvm::Function *>(order.begin(), order.end());
}

} // namespace lockstep::compiler
