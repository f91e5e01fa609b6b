// Debian's libclc, which has 9,800 functions: reading their names takes longer than compiling a small kernel. So a process
// reads them once and keeps, of each function that a kernel has called, a module of its own.
#pragma once

#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::compiler {

// All of it; empty if it cannot be read.
llvm::MemoryBufferRef libclc_bitcode();

// The bitcode of one function with all that it calls; null if there is none of that name. Nothing while another thread is at
// it, or has crashed in it: then there is `libclc_bitcode`.
std::optional<std::shared_ptr<const std::string>> function_of_libclc(std::string_view name);

} // namespace lockstep::compiler
