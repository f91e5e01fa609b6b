#include "compiler/prepare_code/workarounds/llvm22/pin_convergent_calls.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

constexpr char held[] = "lockstep-pinned";

} // namespace

llvm::PreservedAnalyses PinConvergentCallsPass::run(llvm::Module &module,
                                                    llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() || !function.isConvergent() || !function.doesNotAccessMemory())
      continue;
    function.setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    function.addFnAttr(held);
    for (llvm::User *user : function.users()) // a call's effects restrict those of its function
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user))
        call->removeFnAttr(llvm::Attribute::Memory);
  }
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses UnpinConvergentCallsPass::run(llvm::Module &module,
                                                      llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (function.hasFnAttribute(held)) {
      function.setDoesNotAccessMemory();
      function.removeFnAttr(held);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
