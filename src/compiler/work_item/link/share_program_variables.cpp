#include "compiler/work_item/link/share_program_variables.h"

#include "abi/address_spaces.h"

#include "kernel_ir/variable_names.h"

#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

namespace lockstep::compiler {

namespace {

llvm::SmallVector<llvm::GlobalVariable *> shared_variables(llvm::Module &module) {
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == global_space && variable.hasInitializer() &&
        !variable.isConstant())
      variables.push_back(&variable);
  return variables;
}

void give_shared_names(const llvm::SmallVectorImpl<llvm::GlobalVariable *> &variables) {
  for (auto [index, variable] : llvm::enumerate(variables)) {
    keep_name_in_source(*variable);
    variable->setName(shared_variable_symbol(index));
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable->setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable->setDSOLocal(false);
    variable->setComdat(nullptr);
  }
}

} // namespace

std::string shared_variable_symbol(size_t index) {
  return "lockstep.variable." + std::to_string(index);
}

llvm::PreservedAnalyses ShareProgramVariablesPass::run(llvm::Module &module,
                                                       llvm::ModuleAnalysisManager &) {
  auto variables = shared_variables(module);
  give_shared_names(variables);
  for (llvm::GlobalVariable *variable : variables)
    variable->setInitializer(nullptr);
  return llvm::PreservedAnalyses::none();
}

std::vector<SharedVariable> extract_program_variables(llvm::Module &module) {
  auto variables = shared_variables(module);
  std::vector<SharedVariable> result;
  for (llvm::GlobalVariable *variable : variables)
    result.push_back({variable->getName().str(),
                      module.getDataLayout().getTypeAllocSize(variable->getValueType())});
  if (variables.empty())
    return result;
  give_shared_names(variables);
  for (llvm::Function &function : module)
    function.deleteBody();
  llvm::internalizeModule(module, [&](const llvm::GlobalValue &value) {
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    return variable && llvm::is_contained(variables, variable);
  });
  llvm::ModuleAnalysisManager analyses;
  llvm::FunctionAnalysisManager function_analyses;
  llvm::GlobalDCEPass().run(module, analyses);
  return result;
}

} // namespace lockstep::compiler
