// Applies the options of clLinkProgram that change code (OpenCL API 5.8.7.2).
#pragma once

#include "front_ends/opencl_c/build_options.h"
#include "kernel_ir/kernel_module.h"

namespace llvm {
class Module;
}

namespace lockstep::compiler {

// `module` is the parsed bitcode of `object`. The options apply to every object, and to libraries
// that allow it.
void apply_link_options(llvm::Module &module, const ObjectModule &object,
                        const LinkOptions &options);

} // namespace lockstep::compiler
