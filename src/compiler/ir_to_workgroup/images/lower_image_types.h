// Makes images addresses and samplers numbers.
//
// Input:  kernel IR with its device library, in which clang's types of images and samplers stand as they are:
//         target("spirv.Image", ...) and target("spirv.Sampler").
// Output: an image is the address of its descriptor (src/compiler/image_descriptor.h), `ptr addrspace(2)`; a sampler is an
//         i32. __translate_sampler_initializer, __lockstep_sampler and __lockstep_descriptor_..., which turn the ones into
//         the others, are gone. Calls of __lockstep_image_... are left for specialise-images.
//
// Right after linking: builtins of the device library take images as kernels do, and no later pass should meet a type
// that it knows nothing of.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerImageTypesPass : public llvm::PassInfoMixin<LowerImageTypesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
