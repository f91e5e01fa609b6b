// Keeps memory accesses as the kernel has them, until they are instrumented.
//
// Requires: a linked module.
// Ensures: every function with a body has `sanitize_thread`, so that LLVM adds no accesses. The
//   address of an access has its source location as an annotation, which stays when LLVM hoists the
//   access out of a loop and drops its line (check_sites.h).
// Why here: without the attribute LLVM loads speculatively. It hoists a guarded load of local
//   memory above its branch, which is harmless on a CPU but would be reported as the race that the
//   branch avoids. The attribute must precede inlining, which requires that caller and callee agree
//   on it; instrument-accesses removes it.
#include "compiler/checks/races/passes.h"

#include "compiler/checks/common/check_sites.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

static void record_location(const llvm::Instruction &access) {
  const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&access);
  auto *address = llvm::dyn_cast_or_null<llvm::GetElementPtrInst>(pointer);
  if (address && !address->hasMetadata(llvm::LLVMContext::MD_annotation))
    annotate_location(*const_cast<llvm::GetElementPtrInst *>(address), access.getDebugLoc());
}

llvm::PreservedAnalyses PinAccessesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr(llvm::Attribute::SanitizeThread);
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        record_location(instruction);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
