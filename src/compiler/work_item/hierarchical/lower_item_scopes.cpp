#include "compiler/work_item/hierarchical/lower_item_scopes.h"

#include "compiler/work_item/hierarchical/group_effects.h"
#include "compiler/work_item/hierarchical/group_variables.h"
#include "compiler/work_item/hierarchical/item_scopes.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

namespace lockstep::compiler {
namespace {

void inline_all_but(const llvm::SmallPtrSetImpl<llvm::Function *> &kept, llvm::Module &module,
                    llvm::ModuleAnalysisManager &analyses) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    const bool keep = kept.contains(&function);
    function.removeFnAttr(keep ? llvm::Attribute::AlwaysInline : llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    if (function.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      function.addFnAttr(keep ? llvm::Attribute::NoInline : llvm::Attribute::AlwaysInline);
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          call->removeFnAttr(llvm::Attribute::NoInline);
  }
  llvm::AlwaysInlinerPass(/*InsertLifetime=*/false).run(module, analyses);
}

// Inlines first the group's code, then the item scopes: in between, all variables are the group's.
void inline_kernel_and_pin(llvm::Function &kernel, llvm::ModuleAnalysisManager &analyses) {
  llvm::Module &module = *kernel.getParent();
  llvm::SmallPtrSet<llvm::Function *, 8> item_functions;
  for (llvm::CallInst *begin : calls_of(module, item_scope_begin))
    if (begin->getFunction() != &kernel)
      item_functions.insert(begin->getFunction());
  inline_all_but(item_functions, module, analyses);
  pin_group_variables(kernel);
  item_functions.clear();
  inline_all_but(item_functions, module, analyses);
}

} // namespace

llvm::PreservedAnalyses LowerItemScopesPass::run(llvm::Module &module,
                                                 llvm::ModuleAnalysisManager &analyses) {
  const auto marks = calls_of(module, group_scope_mark);
  if (marks.empty() && calls_of(module, item_scope_begin).empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::CallInst *mark : marks)
    mark->eraseFromParent();
  llvm::Function &kernel = *kernel_function(module);
  inline_kernel_and_pin(kernel, analyses);
  auto &of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  of_functions.clear();
  const ItemScopes scopes(module);
  free_uniform_variables(kernel, scopes, of_functions);
  share_group_variables(kernel, scopes);
  order_group_effects(kernel, scopes);
  for (const char *symbol : {group_scope_mark, item_scope_begin, item_scope_end,
                             private_memory_mark, group_variable_pin})
    if (llvm::Function *mark = module.getFunction(symbol))
      mark->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
