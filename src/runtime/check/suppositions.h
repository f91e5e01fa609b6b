// Does what checked code supposes of a launch hold (compiler/suppositions.h)?
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "compiler/launch_abi.h"
#include "runtime/memory/access.h"

#include <cstdint>
#include <span>

namespace lockstep::runtime {

// Specialisation::refused_suppositions. `launch` with its sizes and arguments, `accesses` as the launch has them.
uint64_t refused_suppositions(std::span<const int64_t> words, const compiler::KernelInfo &kernel,
                              const compiler::LaunchInfo &launch, std::span<const Access> accesses);

} // namespace lockstep::runtime
