// Puts the code that reads and writes images in place of the calls, made for the formats and samplers that are known.
//
// Input:  the kernel after inlining and SROA, with calls of __lockstep_image_... (device_lib/images.h); its attribute
//         "lockstep-image-arguments" (specialisation_attributes.h) says what the launch is given.
// Output: no such call is left. A sampler that is an argument of the kernel is a constant, where it is known; so is the
//         format of an image. Reads and writes of an image whose format is not known, and all of a kernel that has very
//         many, are calls of kept functions (kernel_ir/kept_function.h), whose signatures plain-signatures has still to make
//         plain; unless the kernel is checked or may wait, when they are inlined as well.
//
// Not with the device library: its functions for any format are large, and a kernel may read an image at many places.
// Inlined from the outside with constants as arguments, only the one case that applies is ever copied. After SROA: before,
// it cannot be seen which argument an image is. What is not known is asked of the descriptor; all work-items go the same
// way. The code for any format is 40 times that for one, so it is compiled once for each kind of access. Of 287 reads in
// line, each with a path for texels that are inside and one for others, a kernel takes 30 times as long to compile as out of
// line, and what it gains is rows that are loaded at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecialiseImagesPass : public llvm::PassInfoMixin<SpecialiseImagesPass> {
public:
  explicit SpecialiseImagesPass(bool keeps_functions = true) : keeps_functions_(keeps_functions) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  bool keeps_functions_;
};

} // namespace lockstep::compiler
