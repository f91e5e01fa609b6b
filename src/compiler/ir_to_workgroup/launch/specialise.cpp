#include "compiler/ir_to_workgroup/launch/specialise.h"

#include "compiler/ir_to_workgroup/kernel_function.h"
#include "compiler/ir_to_workgroup/specialisation_attributes.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses SpecialisePass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::Function &kernel = *kernel_function(module);
  if (specialisation_.local_size[0])
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        set_specialised_local_size(function, specialisation_.local_size);
  if (specialisation_.neighbours != single_group)
    set_neighbour_groups(kernel, specialisation_.neighbours);
  if (!specialisation_.images.empty())
    set_image_arguments(kernel, specialisation_.images);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler
