#include "compiler/checks/races/pin_accesses.h"

#include "compiler/checks/common/check_sites.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

static void note_place(const llvm::Instruction &access) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
  auto *address = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(pointer);
  if (address && !address->hasMetadata(llvm::LLVMContext::MD_annotation))
    annotate_place(*const_cast<llvm::GetElementPtrInst *>(address), access.getDebugLoc());
}

llvm::PreservedAnalyses PinAccessesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        note_place(instruction);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
