// AArch64: NEON, and SVE with registers of a length that is known when a kernel is compiled.
#pragma once

#include "compiler/target_model/target_model.h"

namespace lockstep::compiler {

// `register_bits`: the length of SVE's registers, 0 if there are none. Code uses SVE if it is 256 or
// 512, and is right only where the registers have exactly this length.
std::unique_ptr<TargetModel> aarch64_model(const llvm::MCSubtargetInfo &cpu,
                                           uint32_t register_bits);

} // namespace lockstep::compiler
