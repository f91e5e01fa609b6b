#include "compiler/ir_to_workgroup/inline/inline_kernel.h"

#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/kernel_ir/kept_function.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace lockstep::compiler {

namespace {

// True if memory behind `pointer` is never written and the pointer goes nowhere else.
bool is_only_read(const llvm::Value &pointer) {
  for (const llvm::Use &use : pointer.uses()) {
    const llvm::User *user = use.getUser();
    if (llvm::isa<llvm::GetElementPtrInst, llvm::BitCastInst, llvm::AddrSpaceCastInst>(user)) {
      if (!is_only_read(*user))
        return false;
    } else if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (use.getOperandNo() != 1 || copy->isVolatile())
        return false;
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile())
        return false;
    } else {
      return false;
    }
  }
  return true;
}

void collect_callees(llvm::Function &function, llvm::SmallPtrSetImpl<llvm::Function *> &callees) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (llvm::Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
        if (callees.insert(callee).second)
          collect_callees(*callee, callees);
}

// Inlining a function into itself has no end. Returns a function that can call itself.
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

// clang passes structs by value as pointers that the callee may write through. All work-items share
// the argument block, so who writes needs a copy.
void privatise_struct_arguments(llvm::Function &kernel) {
  const llvm::DataLayout &layout = kernel.getParent()->getDataLayout();
  for (llvm::Argument &argument : kernel.args()) {
    if (!argument.hasByValAttr())
      continue;
    llvm::Type *type = argument.getParamByValType();
    llvm::Align alignment = argument.getParamAlign().value_or(layout.getABITypeAlign(type));
    argument.removeAttr(llvm::Attribute::ByVal);
    argument.addAttr(llvm::Attribute::getWithAlignment(kernel.getContext(), alignment));
    if (is_only_read(argument))
      continue;
    llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    auto *copy = builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
    copy->setAlignment(alignment);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, alignment, &argument, alignment, layout.getTypeAllocSize(type));
  }
}

// Every other call is inlined, so what is left is functions whose address is taken: the bodies of blocks,
// which clang calls directly but also writes into the block's record. Nobody can call them there
// (refuse_calls_without_callee).
void remove_uncalled_functions(llvm::Module &module, const llvm::Function &kernel) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    if (function.isDeclaration() || &function == &kernel || is_kept(function))
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
    if (is_kept(function))
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
  refuse_calls_without_callee(*kernel); // none is in a function that is kept
  privatise_struct_arguments(*kernel);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
