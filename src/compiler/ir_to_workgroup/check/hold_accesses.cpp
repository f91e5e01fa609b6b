#include "compiler/ir_to_workgroup/check/hold_accesses.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses HoldAccessesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(llvm::Attribute::SanitizeThread);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
