// The text of __attribute__((...)) on kernels, for CL_KERNEL_ATTRIBUTES: "returned as they were
// declared" (OpenCL API 5.7.3), which only the syntax tree knows. IR metadata keeps some of the
// values but not the spelling.
#pragma once

#include <map>
#include <memory>
#include <string>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

using KernelAttributes =
    std::map<std::string, std::string>; // kernel name to attributes, separated by spaces

// A consumer that fills `attributes` while the translation unit is read.
std::unique_ptr<clang::ASTConsumer> collect_kernel_attributes(clang::CompilerInstance &compiler,
                                                              KernelAttributes &attributes);

} // namespace lockstep::compiler
