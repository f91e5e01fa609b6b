// Replaces the addresses of enqueued blocks by their names.
//
// Requires: a program in kernel IR. clang passes the address of a block's kernel to the function
// that enqueues it.
// Ensures: a constant with the kernel's name replaces the address; the launch finds the kernel by
// it (device_enqueue_abi.h). The captures of a block are marked as read-only.
//
// Each kernel is compiled separately, so a block has no address in the code of the kernels that
// enqueue it.
//
// Position: before unused code is dropped: a block is not part of a kernel that enqueues it.
#include "compiler/work_item/link/passes.h"

#include "abi/address_spaces.h"

#include "kernel_ir/kernel_info.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

// A block has its own copy of its captures, which no work-item writes. So a loop that reads it does
// not wait for it.
static bool mark_captures_invariant(llvm::Function &block_kernel) {
  if (block_kernel.arg_empty() || !block_kernel.getArg(0)->getType()->isPointerTy())
    return false;
  block_kernel.addParamAttr(0, llvm::Attribute::NoAlias);
  block_kernel.addParamAttr(0, llvm::Attribute::ReadOnly);
  return true;
}

llvm::PreservedAnalyses NameBlocksPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  bool changed = false;
  for (llvm::Function &function : module) {
    if (!function.hasFnAttribute(block_attribute))
      continue;
    changed |= mark_captures_invariant(function);
    if (function.use_empty())
      continue;
    llvm::Constant *text =
        llvm::ConstantDataArray::getString(module.getContext(), function.getName());
    auto *name = new llvm::GlobalVariable(
        module, text->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, text,
        "lockstep.block.name", nullptr, llvm::GlobalValue::NotThreadLocal, constant_space);
    function.replaceAllUsesWith(llvm::ConstantExpr::getAddrSpaceCast(name, function.getType()));
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler
