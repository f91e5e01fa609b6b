// Puts the code that reads and writes images in place of the calls, made for the formats and samplers that are known.
//
// Input:  the kernel after inlining and SROA, with calls of __lockstep_image_... (device_lib/images.h); its attribute
//         "lockstep-image-arguments" (specialisation_attributes.h) says what the launch is given.
// Output: no such call is left. A sampler that is an argument of the kernel is a constant, where it is known; so is the
//         format of an image.
//
// Not with the device library: its functions for any format are large, and a kernel may read an image at many places.
// Inlined from the outside with constants as arguments, only the one case that applies is ever copied. After SROA: before,
// it cannot be seen which argument an image is. What is not known is asked of the descriptor; all work-items go the same
// way.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecialiseImagesPass : public llvm::PassInfoMixin<SpecialiseImagesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler
