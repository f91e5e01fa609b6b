// Provides functions of Debian's libclc, which has 9,800 functions: reading their names takes
// longer than compiling a small kernel. So a process reads them once, and caches a separate module
// for each function that a kernel has called.
#pragma once

#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::compiler {

// The whole library; empty if it cannot be read.
llvm::MemoryBufferRef libclc_bitcode();

// The bitcode of one function with its callees; null if the library has no function of that name.
// Returns nullopt while another thread is in this function or has crashed in it; the caller then
// uses `libclc_bitcode`.
std::optional<std::shared_ptr<const std::string>> function_of_libclc(std::string_view name);

} // namespace lockstep::compiler
