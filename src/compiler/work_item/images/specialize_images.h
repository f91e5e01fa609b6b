// Replaces calls that access images by code that is specialized for the known formats and samplers.
//
// Requires: the kernel after inlining and SROA, with calls of __lockstep_image_...
// (device_lib/images.h). Its attribute "lockstep-image-arguments" (specialization_attributes.h)
// describes the arguments of the launch.
// Ensures: no such call is left. Known samplers and formats of arguments are constants. Accesses to
// images of unknown format, and all accesses of a kernel with very many, call out-of-line functions
// (kernel_ir/out_of_line_function.h), whose signatures plain-signatures must still simplify. If the
// kernel is checked or may wait, they are inlined, too.
//
// Why not with the device library: its functions for any format are large, and a kernel may read an
// image at many places. Inlined from the outside with constant arguments, only the one case that
// applies is copied. Before SROA the pass could not see which argument an image is. Unknown
// properties are read from the descriptor; such branches are uniform. The code for any format is 40
// times as large as that for one, so it is compiled once for each kind of access. With 287 inlined
// reads, each with a path for inside and one for outside, a kernel takes 30 times as long to
// compile as out of line; its only gain is that rows are loaded at once.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class SpecializeImagesPass : public llvm::PassInfoMixin<SpecializeImagesPass> {
public:
  explicit SpecializeImagesPass(bool keeps_functions = true) : keeps_functions_(keeps_functions) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  bool keeps_functions_;
};

} // namespace lockstep::compiler
