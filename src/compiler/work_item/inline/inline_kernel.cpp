// Inlines everything into the kernel, except out-of-line functions (keep-out-of-line).
//
// Requires: a module with one kernel, builtins linked; out-of-line functions have the attribute
// "lockstep-out-of-line".
// Ensures: only the kernel and these functions have a body and are called. Allocas are in the entry
// block. The functions have internal linkage.
//
// Everything else is inlined because any function may contain a barrier, and because the lanes and
// region stages work on one control-flow graph. OpenCL C forbids recursion (6.11), and the front
// end rejects it.
#include "compiler/work_item/inline/passes.h"

#include "kernel_ir/kernel_function.h"
#include "kernel_ir/out_of_line_function.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace lockstep::compiler {

namespace {

void collect_callees(llvm::Function &function, llvm::SmallPtrSetImpl<llvm::Function *> &callees) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
        if (callees.insert(callee).second)
          collect_callees(*callee, callees);
}

// Inlining a function into itself does not terminate. Returns a function that can call itself.
llvm::Function *find_recursion(llvm::Function &kernel) {
  llvm::SmallPtrSet<llvm::Function *, 16> callees;
  collect_callees(kernel, callees);
  for (llvm::Function *function : callees) {
    llvm::SmallPtrSet<llvm::Function *, 16> reached;
    collect_callees(*function, reached);
    if (reached.contains(function))
      return function;
  }
  return nullptr;
}

// Every other call is inlined, so only functions whose address is taken are left. These are the
// bodies of blocks, which clang calls directly and also stores in the block's record. Calls through
// the record are rejected (refuse_calls_without_callee).
void remove_uncalled_functions(llvm::Module &module, const llvm::Function &kernel) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() || &function == &kernel || is_out_of_line(function))
      continue;
    function.replaceAllUsesWith(llvm::ConstantPointerNull::get(function.getType()));
    function.eraseFromParent();
  }
}

void refuse_calls_without_callee(llvm::Function &kernel) {
  for (llvm::Instruction &instruction : llvm::instructions(kernel)) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || call->getCalledFunction())
      continue;
    kernel.getContext().diagnose(llvm::DiagnosticInfoGeneric(
        call->isInlineAsm()
            ? "the kernel has inline assembly, which is not supported"
            : "the kernel calls a function through a pointer, which is not supported",
        llvm::DS_Error));
  }
}

} // namespace

llvm::PreservedAnalyses InlineKernelPass::run(llvm::Module &module,
                                              llvm::ModuleAnalysisManager &analyses) {
  llvm::Function *kernel = kernel_function(module);
  if (llvm::Function *function = find_recursion(*kernel)) {
    module.getContext().diagnose(llvm::DiagnosticInfoGeneric(
        "function '" + function->getName() + "' calls itself; kernels have no recursion",
        llvm::DS_Error));
    return llvm::PreservedAnalyses::all();
  }
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    // Other linkages would let another definition replace the function, or omit it.
    if (&function != kernel) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
    if (is_out_of_line(function))
      function.addFnAttr(llvm::Attribute::NoInline);
    else if (&function != kernel)
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        call->removeFnAttr(llvm::Attribute::NoInline);
  }
  llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
  llvm::GlobalDCEPass().run(module, analyses);

  remove_uncalled_functions(module, *kernel);
  refuse_calls_without_callee(*kernel); // out-of-line functions contain no such call
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
