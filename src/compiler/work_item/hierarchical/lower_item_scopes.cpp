// Turns hierarchical kernels (SYCL 2020, section 4.9.4.2.3) into kernels with barriers.
//
// Requires: a module with one kernel, builtins linked, nothing inlined. A call of
// __lockstep_group_scope marks a kernel whose code runs once per work-group, except the bodies of
// parallel_for_work_item, which run once per work-item. Calls of __lockstep_item_scope_begin and
// _end enclose these bodies.
// Ensures: the kernel, with everything inlined, is code of each work-item; neither those three
// functions nor __lockstep_private_memory is called. A kernel without calls of them does not
// change.
//
// All work-items execute the group's code and compute the same. That costs nothing, because uniform
// values are computed once. Three things differ between the group's code and that of a work-item:
// - Its variables are shared. One that only the group's code writes has the same value in each
//   work-item and may be private; the others are in local memory (group_variables.h).
// - Its effects happen once: the first work-item executes them (group_effects.h).
// - It runs after the item scope before it: barriers separate the two if both access memory.
//
// Position: before any pass that promotes variables to registers (SROA): afterwards the group's
// variables could not be recognized.
#include "compiler/work_item/hierarchical/passes.h"

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
