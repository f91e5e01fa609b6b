// NVIDIA's architectures as targets of code generation.
#pragma once

#include "compiler/options/code_options.h"
#include "support/result.h"

#include <memory>
#include <string_view>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

inline constexpr uint32_t warp_size = 32;

// The target for an architecture such as "sm_90": TargetInfo::cpu is the architecture, and
// TargetInfo::features is the PTX version, such as "+ptx78".
Result<TargetInfo> find_nvidia_target(std::string_view architecture);

// 90 for "sm_90".
uint32_t architecture_number(const TargetInfo &target);

// Null if LLVM was built without NVPTX. The first call initializes LLVM's NVPTX.
std::unique_ptr<llvm::TargetMachine> make_nvidia_machine(const TargetInfo &target, bool optimize);

} // namespace lockstep::compiler
