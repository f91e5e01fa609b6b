// Checks the code and the kernel table of an executable that was loaded from a program binary.
// front_ends.h reads the frame (magic, versions, checksum) before.
//
// This detects mistakes and damage. It is not a security boundary: kernels can write anywhere
// (docs/trust.md).
#pragma once

#include "kernel_ir/kernel_module.h"
#include "support/result.h"

#include <string>

namespace lockstep::compiler {

// Applies the rules of a program that is linked here. The code must be well formed, call only
// functions of its own or of the device library, and define the kernels that its table names.
// Otherwise returns ErrorKind::invalid_binary, with a line in `log`.
Result<void> check_program_binary(const KernelModule &program, std::string &log);

} // namespace lockstep::compiler
