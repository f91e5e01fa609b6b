#include "compiler/prepare_code/place_local_memory.h"

#include "abi/address_spaces.h"

#include "abi/launch_abi.h"
#include "kernel_ir/form.h"
#include "kernel_ir/kernel_function.h"
#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

namespace lockstep::compiler {

namespace {

bool is_local(const llvm::GlobalVariable &variable) {
  return variable.getAddressSpace() == local_space;
}

} // namespace

llvm::PreservedAnalyses PinLocalMemoryPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  for (llvm::GlobalVariable &variable : module.globals()) {
    if (!is_local(variable))
      continue;
    if (!variable.getAlign())
      variable.setAlignment(module.getDataLayout().getABITypeAlign(variable.getValueType()));
    // LLVM does not realign a variable that has a section and an alignment.
    variable.setSection("lockstep.local");
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses PlaceLocalMemoryPass::run(llvm::Module &module,
                                                  llvm::ModuleAnalysisManager &) {
  if (when_ == When::with_out_of_line_functions && llvm::none_of(module, is_out_of_line))
    return llvm::PreservedAnalyses::all();
  llvm::Function *function = module.getFunction(workgroup_symbol);
  if (!function)
    function = module.getFunction(sub_group_symbol);
  llvm::SmallVector<llvm::GlobalVariable *> variables;
  llvm::SmallVector<llvm::Constant *> constants;
  for (llvm::GlobalVariable &variable : module.globals())
    if (is_local(variable)) {
      variables.push_back(&variable);
      constants.push_back(&variable);
    }
  if (!function || variables.empty())
    return llvm::PreservedAnalyses::all();
  llvm::convertUsersOfConstantsToInstructions(constants);

  llvm::IRBuilder<> builder(&*function->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::Value *field = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(1),
                                                          offsetof(GroupInfo, local_memory));
  llvm::Value *memory =
      builder.CreateAlignedLoad(builder.getPtrTy(3), field, llvm::Align(8), "local.memory");
  llvm::cast<llvm::LoadInst>(memory)->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                                  llvm::MDNode::get(module.getContext(), {}));
  uint64_t end = 0;
  for (llvm::GlobalVariable *variable : variables) {
    uint64_t offset = llvm::alignTo(end, variable->getAlign().valueOrOne());
    end = offset + module.getDataLayout().getTypeAllocSize(variable->getValueType());
    llvm::Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, offset,
                                                              variable->getName());
    variable->replaceAllUsesWith(address);
    variable->eraseFromParent();
  }
  function->addFnAttr(local_memory_bytes, llvm::utostr(end));
  return llvm::PreservedAnalyses::none();
}

uint64_t local_memory_size(const llvm::Function &function) {
  uint64_t size = 0;
  llvm::StringRef text = function.getFnAttribute(local_memory_bytes).getValueAsString();
  return text.empty() || text.getAsInteger(10, size) ? 0 : size;
}

} // namespace lockstep::compiler
