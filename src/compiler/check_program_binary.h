// What an executable that a binary has brought must be, beyond a sound frame (compile.h reads that).
//
// This finds mistakes and damage. It is no boundary: kernels can write anywhere (docs/trust.md).
#pragma once

#include "compiler/kernel_module.h"
#include "support/result.h"

#include <string>

namespace lockstep::compiler {

// Holds the program to the rules for one that is linked here: its code is well formed, calls nothing
// that is not in it or in the device library, and has the kernels that its table names.
// ErrorKind::invalid_binary, with a line in `log`.
Result<void> check_program_binary(const KernelModule &program, std::string &log);

} // namespace lockstep::compiler
