// Describes an address that a kernel could not access, relative to the memory that the kernel was
// given.
#pragma once

#include "kernel_ir/kernel_info.h"
#include "runtime/memory/access.h"

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::runtime {

// ", 64 bytes behind the end of a buffer of 4096 bytes (argument 0 'out')"; empty: no such memory
// is near. `block`: the launch's argument block.
std::string place_of_fault(uintptr_t address, const compiler::KernelInfo &kernel, const void *block,
                           std::span<const Access> accesses);

} // namespace lockstep::runtime
