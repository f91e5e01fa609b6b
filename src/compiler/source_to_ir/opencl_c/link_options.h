// Options of clLinkProgram that change code (OpenCL API 5.8.7.2).
#pragma once

#include "compiler/kernel_module.h"
#include "compiler/source_to_ir/opencl_c/build_options.h"

namespace llvm {
class Module;
}

namespace lockstep::compiler {

// `module` is the parsed bitcode of `object`. Objects always take part, libraries if they allow it.
void apply_link_options(llvm::Module &module, const ObjectModule &object,
                        const LinkOptions &options);

} // namespace lockstep::compiler
