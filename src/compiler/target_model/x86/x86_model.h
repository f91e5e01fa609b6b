// x86-64: SSE2 to AVX-512.
#pragma once

#include "compiler/target_model/target_model.h"

namespace lockstep::compiler {

std::unique_ptr<TargetModel> x86_model(const llvm::MCSubtargetInfo &cpu);

} // namespace lockstep::compiler
