#include "compiler/ir_to_workgroup/link/name_blocks.h"

#include "compiler/kernel_ir/kernel_info.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses NameBlocksPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  constexpr unsigned constant_space = 2;
  bool changed = false;
  for (llvm::Function &function : module) {
    if (!function.hasFnAttribute(block_attribute) || function.use_empty())
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
