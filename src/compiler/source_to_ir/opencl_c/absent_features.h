// Errors for parts of OpenCL C that the device does not have but clang's front end takes: clang
// compiles images in OpenCL C 1.2, and images, pipes and device-side enqueue in 2.0, where they are
// mandatory. Without this the program would fail later, about a symbol that nobody has written.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

// A consumer that reports the first use of each absent feature, with its place, while the
// translation unit is read.
std::unique_ptr<clang::ASTConsumer> refuse_absent_features(clang::CompilerInstance &compiler);

} // namespace lockstep::compiler
