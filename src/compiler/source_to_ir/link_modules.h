// Object modules to a library or a program, with llvm::Linker.
#pragma once

#include "compiler/kernel_module.h"
#include "compiler/source_to_ir/opencl_c/build_options.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace lockstep::compiler {

// One module with the symbols of all. build_failure with a line in `log`: a symbol is defined
// twice, types differ.
Result<std::unique_ptr<llvm::Module>> link_objects(llvm::LLVMContext &context,
                                                   const std::vector<const ObjectModule *> &modules,
                                                   const LinkOptions &options, std::string &log);

// The checks that make a linked module a program, and the answers that are kept beside it.
// build_failure: a function or variable is defined nowhere, or a function calls itself (OpenCL
// C 6.11, restriction i).
Result<KernelModule> make_program(llvm::Module &module, std::string &log);

std::string write_bitcode(const llvm::Module &module);

} // namespace lockstep::compiler
