// Decides whether the device takes a module: its capabilities, extensions and instruction
// sets (common/device_features.def).
#pragma once

#include "front_ends/spirv/module/module.h"

namespace lockstep::compiler::spirv {

Result<void> admit(const Module &module);

// Instructions of such a set have no effect: "NonSemantic.Shader.DebugInfo.100".
bool is_non_semantic(llvm::StringRef set);

} // namespace lockstep::compiler::spirv
