// A linked module becomes a program: what no stage after this one can do is refused here, whatever language the module
// was written in.
#pragma once

#include "compiler/kernel_module.h"
#include "support/result.h"

#include <string>

namespace llvm {
class Module;
}

namespace lockstep::compiler {

// build_failure, with a line in `log`: a function or variable is defined nowhere, a function calls itself, calls through
// pointers, or a limit of the device is passed.
Result<KernelModule> make_program(llvm::Module &module, SourceLanguage language, std::string &log);

} // namespace lockstep::compiler
