// Kernels: entry points with their execution modes and arguments, as docs/kernel_ir.md wants them.
#pragma once

#include "front_ends/spirv/reader.h"

namespace lockstep::compiler::spirv {

// Makes kernels of a function that is an entry point and whose body was read.
Result<void> make_kernels(Reader &reader, const FunctionBody &body, llvm::Function &function);

} // namespace lockstep::compiler::spirv
