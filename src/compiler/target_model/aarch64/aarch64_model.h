// AArch64: NEON, and SVE with registers of a length that is known when a kernel is compiled.
#pragma once

#include "compiler/target_model/target_model.h"

namespace lockstep::compiler {

std::unique_ptr<TargetModel> aarch64_model(const llvm::MCSubtargetInfo &cpu);

} // namespace lockstep::compiler
