// Turns a linked module into a program. Rejects what no later stage supports, for modules of any
// source language.
#pragma once

#include "kernel_ir/kernel_module.h"
#include "support/result.h"

#include <string>

namespace llvm {
class Module;
}

namespace lockstep::compiler {

// build_failure, with a line in `log`: a function or variable has no definition, a function is
// recursive, a call is indirect, or a limit of the device is exceeded.
Result<KernelModule> make_program(llvm::Module &module, SourceLanguage language, std::string &log);

} // namespace lockstep::compiler
