// Keeps sub-group operations on their side of branches that leave a loop.
//
// A sub-group operation has no effect but its result, which depends on the lanes that execute it:
// its declaration is convergent and accesses no memory. LLVM 22 considers only memory effects when
// it moves a branch out of a loop (SimpleLoopUnswitch, the trivial kind). In
//
//     for (...) { any = sub_group_any(x); if (same_in_each_round) break; use(any); }
//
// the branch moves before the loop, and the lanes that leave never execute the operation.
//
// pin-convergent-calls:   marks such declarations as accessing memory that is inaccessible
// otherwise.
// unpin-convergent-calls: removes that mark.
//
// Position: around the scalar optimizations; none of them moves a side effect across a branch.
//
// Upstream: llvm/llvm-project#207047, fixed in LLVM 23.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

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
