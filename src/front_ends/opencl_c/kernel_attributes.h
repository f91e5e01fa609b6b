// Collects the text of __attribute__((...)) on kernels, for CL_KERNEL_ATTRIBUTES: "returned as they
// were declared" (OpenCL API 5.7.3). Only the syntax tree has the spelling; IR metadata has some of
// the values.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

// Kernel name to attributes, separated by spaces.
using KernelAttributes = std::map<std::string, std::string>;

// A consumer that fills `attributes` while the translation unit is read.
std::unique_ptr<clang::ASTConsumer> collect_kernel_attributes(clang::CompilerInstance &compiler,
                                                              KernelAttributes &attributes);

} // namespace lockstep::compiler
